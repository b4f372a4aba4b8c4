import { UnreadableRecord } from '../../ports/store'
import type { Submission, Work } from '../../ports/submission'
import type { Context } from '../context'
import type { Reviewers } from '../people/reviewers'
import type { LifecycleEvent } from '../lifecycle/events'
import type { Outbox } from './outbox'
import { getAll } from '../queries/rows'
import { rowOf } from '../deliveries/registry'
import { isDelivery } from '../lifecycle/record'

/** Submissions leased at a time; few, so that replicas share a backlog. */
const BATCH_SIZE = 100

/** Max duration of one run while more work is due, ms. On serverless hosts the next run comes within a minute. */
const RUN_MS = 5000

/** Submissions processed in parallel. */
const CONCURRENCY = 8

/**
 * Time for which work of an unknown kind waits for another version of this service, ms, e.g. during a rollout. After
 * that the forward fails, so that a person learns that the delivery was removed.
 */
const UNKNOWN_WAIT_MS = 60 * 60 * 1000

/** Returns the work that this version can do or must give up. */
function ourWork({ state, work }: Submission, now: number): Work[] {
  const isAbandoned = (dueAt: number) => state === 'settling' && dueAt <= now - UNKNOWN_WAIT_MS
  return work.filter(({ kind, dueAt }) => !isDelivery(kind) || rowOf(kind) || isAbandoned(dueAt))
}

/** Submissions whose refused cards are retried when a process starts: a new version may render them better. */
const REFUSED_AT_START = 100

export async function postRefusedAgain({ store }: Context, outbox: Outbox): Promise<void> {
  for (const { id } of await getAll(store, await store.stuck(REFUSED_AT_START))) await outbox.postAgain(id)
}

/** Does all due work: retries, work of crashed processes, expiry. Resolves with the number of submissions taken. */
export async function sweep(context: Context, outbox: Outbox, reviewers: Reviewers): Promise<number> {
  const { runtime } = context
  const endsAt = runtime.now() + RUN_MS
  let takenCount = 0
  for (let isFull = true; isFull && runtime.now() < endsAt;) {
    const batchSize = await sweepBatch(context, outbox, reviewers)
    takenCount += batchSize
    isFull = batchSize === BATCH_SIZE
  }
  return takenCount
}

async function sweepBatch(context: Context, outbox: Outbox, reviewers: Reviewers): Promise<number> {
  const { store, policy: { leaseMs }, runtime, log } = context
  const ids = await store.lease(leaseMs, BATCH_SIZE)
  const remainingIds = ids.values()
  const worker = async () => {
    for (const id of remainingIds) {
      await processSubmission(id).catch((error: unknown) => {
        // The store reports each unreadable submission itself, once.
        if (!(error instanceof UnreadableRecord)) log.error('sweep.failed', { submission: id, error })
      })
    }
  }
  const processSubmission = async (id: string) => {
    const submission = await store.get(id)
    if (!submission) return store.forget(id)
    const events: LifecycleEvent[] = [
      { type: 'expired' }, { type: 'expiring' }, { type: 'forgotten' }, { type: 'collapsing' },
      { type: 'freed', left: await findFormerReviewer(submission, context, reviewers) },
      // Work that is not due is left out.
      { type: 'leased', keys: ourWork(submission, runtime.now()).map(({ key }) => key) },
    ]
    const result = await outbox.apply(id, events, submission)
    if ('refused' in result) return
    await outbox.run(result.submission, result.added)
  }
  await Promise.all(Array.from({ length: Math.min(CONCURRENCY, ids.length) }, worker))
  return ids.length
}

/** Returns the assignee if they may not decide any more; undefined otherwise, and if that cannot be checked. */
async function findFormerReviewer(
  { holder, form }: Submission, { forms }: Context, reviewers: Reviewers,
): Promise<string | undefined> {
  const reviewerList = holder && forms.of(form).reviewers
  return reviewerList && await reviewers.has(reviewerList, holder) === false ? holder.who : undefined
}

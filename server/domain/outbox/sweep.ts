import type { Log, Runtime } from '../../ports/runtime'
import { UnreadableRecord, type SubmissionStore } from '../../ports/store'
import type { Submission, Work } from '../../ports/submission'
import type { Reviewers } from '../people/reviewers'
import type { LifecycleEvent } from '../lifecycle/events'
import type { Outbox } from './outbox'
import { getAll } from '../queries/rows'
import type { Presentation } from '../cards/card-view'

/** Submissions that are taken at a time, so that replicas share a backlog. */
const BATCH = 100

/** One run goes on for so long while more is due, ms: on serverless hosts the next one comes in a minute. */
const RUN_MS = 5000

/** Submissions worked on at a time. */
const CONCURRENCY = 8

/** What this version can do. After going back from a newer one there may be work of other kinds, which waits for it. */
const KINDS: Readonly<Record<Work['kind'], true>> = {
  post: true, update: true, remind: true, tell: true, erasure: true, confirm: true, email: true, endpoint: true,
}

export interface SweepPorts {
  store: SubmissionStore
  outbox: Outbox
  reviewers: Pick<Reviewers, 'has'>
  presentation: Presentation
  leaseMs: number
  runtime: Runtime
  log: Log
}

/** Submissions whose refused cards are tried again when a process starts: a new version may know better how. */
const REFUSED_AT_START = 100

export async function postRefusedAgain({ store, outbox }: Pick<SweepPorts, 'store' | 'outbox'>): Promise<void> {
  for (const { id } of await getAll(store, await store.stuck(REFUSED_AT_START))) await outbox.postAgain(id)
}

/** Does what is due: what failed, what a crashed process left, and what expired. Resolves with how many it took. */
export async function sweep(ports: SweepPorts): Promise<number> {
  const end = ports.runtime.now() + RUN_MS
  let taken = 0
  for (let isFull = true; isFull && ports.runtime.now() < end;) {
    const batch = await sweepBatch(ports)
    taken += batch
    isFull = batch === BATCH
  }
  return taken
}

async function sweepBatch(ports: SweepPorts): Promise<number> {
  const { store, outbox, leaseMs, log } = ports
  const ids = await store.lease(leaseMs, BATCH)
  const left = ids.values()
  const worker = async () => {
    for (const id of left) {
      await attend(id).catch((error: unknown) => {
        // Of one that cannot be read the store tells, once.
        if (!(error instanceof UnreadableRecord)) log.error('sweep.failed', { submission: id, error })
      })
    }
  }
  const attend = async (id: string) => {
    const submission = await store.get(id)
    if (!submission) return store.forget(id)
    const events: LifecycleEvent[] = [
      { type: 'expired' }, { type: 'expiring' }, { type: 'forgotten' }, { type: 'collapsing' },
      { type: 'freed', left: await whoLeft(submission, ports) },
      // As far as it is due.
      { type: 'leased', keys: submission.work.filter(({ kind }) => kind in KINDS).map(({ key }) => key) },
    ]
    const applied = await outbox.apply(id, events, submission)
    if ('refused' in applied) return
    await outbox.run(applied.submission, applied.added)
  }
  await Promise.all(Array.from({ length: Math.min(CONCURRENCY, ids.length) }, worker))
  return ids.length
}

/** Who has it and may not decide it any more; undefined also while nobody can tell. */
async function whoLeft(
  { holder, form }: Submission, { reviewers, presentation: { forms } }: SweepPorts,
): Promise<string | undefined> {
  const list = holder && forms.of(form).reviewers
  return list && await reviewers.has(list, holder) === false ? holder.who : undefined
}

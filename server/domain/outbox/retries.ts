import { z } from 'zod'
import type { TriedAgain } from '../../../shared/types/status'
import type { Person, Submission, SubmissionRecord } from '../../ports/submission'
import { InvalidRequest, StoreUnavailable } from '../errors'
import { parsed } from '../json'
import type { Context } from '../context'
import { decideEach, type OpsSubmissions } from '../queries/ops-submissions'
import type { Outbox } from './outbox'
import { getAll, orUnavailable } from '../queries/rows'
import { canSendAgain, outstanding } from '../lifecycle/record'
import { deliveryParts, rowOf, vendorOf, wayOf } from '../deliveries/registry'

/**
 * Min outage after which work is retried early, in base delays (30 s at the default): earlier pauses are short anyway.
 */
const MIN_OUTAGE = 6

/** Max time to the next attempt of work that is retried early, ms: includes card edits, and posts in a long queue. */
const LONGEST_WAIT_MS = 24 * 60 * 60 * 1000

/** Limits of one request: submissions searched for one vendor, and submissions retried after they were given up. */
const [MAX_SEARCHED, MAX_GIVEN_UP] = [10_000, 1000]

const PAGE = 100

/** Submissions updated in parallel; few, because the store has other requests to answer. */
const CONCURRENCY = 8

const requestSchema = z.object({ part: z.string().max(200) })

/** Retries failed work once its cause is fixed. */
export class Retries {
  /** @param sweep function that does all due work */
  constructor(
    private readonly context: Context, private readonly outbox: Outbox, private readonly submissions: OpsSubmissions,
    private readonly sweep: () => Promise<unknown>,
  ) {}

  /**
   * Makes all work that waits for a recovered part due now, for all replicas. Returns at once.
   *
   * @param since start of its outage, epoch ms
   */
  recovered(note: string, since: number): void {
    const { runtime, policy, log } = this.context
    if (runtime.now() - since < MIN_OUTAGE * policy.baseMs) return
    const vendor = vendorIn(note)
    runtime.background(runtime.detached(() => this.pull(vendor).then(
      submissions => submissions > 0 && log.info('outage.over', { vendor, submissions }),
      error => log.warn('retries.failed', { vendor, error }),
    )))
  }

  /**
   * Retries all work that waits for a part or was given up there, except emails that bounced.
   *
   * @throws InvalidRequest, StoreUnavailable
   */
  async tryAll(body: unknown, reviewer: Person): Promise<TriedAgain> {
    const { board, forms, health, runtime } = this.context
    const { queue } = this.outbox
    const vendors = [...board.platforms, ...deliveryParts(forms)]
    const vendor = vendorIn(parsed(requestSchema, body).part)
    if (!vendors.includes(vendor)) {
      throw new InvalidRequest(`part: must be one of ${vendors.join(', ')}.`)
    }
    const notes = await orUnavailable(health.read())
    const isOpen = (room: string) => (notes[room]?.limitedUntil ?? 0) <= runtime.now()
    await orUnavailable(queue.reopen(forms.rooms.filter(room => vendorIn(room) === vendor && isOpen(room))))
    const pulledCount = await orUnavailable(this.pull(vendor))
    const ids = await orUnavailable(this.listGivenUp(vendor))
    const results = await decideEach(ids, async (id) => {
      if (rowOf(vendor)) await this.submissions.decide(id, { action: 'resend' }, reviewer)
      else await this.submissions.postAgain(id, reviewer)
    })
    const errors = results.flatMap(({ error }) => error instanceof Error ? [error] : [])
    const storeError = errors.find(error => error instanceof StoreUnavailable)
    if (storeError) throw storeError
    return { tried: pulledCount + ids.length - errors.length, left: errors.length, reason: errors[0]?.message ?? null }
  }

  /** Resolves with the number of submissions that wait for the vendor. */
  private async pull(vendor: string): Promise<number> {
    const { store, runtime } = this.context
    const ids = (await store.upcoming(runtime.now() + LONGEST_WAIT_MS, MAX_SEARCHED)).values()
    let count = 0
    const worker = async () => {
      for (const id of ids) {
        const [submission] = await getAll(store, [id])
        if (!submission || !waitsFor(submission, vendor)) continue
        count++
        await this.outbox.apply(id, [{ type: 'pulled', vendor }], submission)
      }
    }
    await Promise.all(Array.from({ length: CONCURRENCY }, worker))
    const sweepNow = () => this.sweep().catch(() => { /* The next sweep does it. */ })
    if (count > 0) runtime.background(runtime.detached(sweepNow))
    return count
  }

  private async listGivenUp(vendor: string): Promise<string[]> {
    const ids: string[] = []
    let cursor: string | null | undefined
    do {
      const page = await this.context.store.listRecords({
        limit: PAGE, only: 'stuck', sort: 'oldest', ...cursor && { before: cursor },
      })
      ids.push(...page.submissions.filter(each => givenUpBy(each).includes(vendor)).map(({ id }) => id))
      cursor = page.cursor
    } while (cursor && ids.length < MAX_GIVEN_UP)
    return ids.slice(0, MAX_GIVEN_UP)
  }
}

/** Returns the vendors that refused work for good. Ignores bounced emails: they are not the provider's fault. */
export function givenUpBy(submission: SubmissionRecord): string[] {
  const { failures, work } = submission
  const deliveries = canSendAgain(submission) ? [] : failures.map(({ delivery }) => wayOf(delivery))
  return [...deliveries, ...work.filter(({ refused }) => refused).map(vendorOf)]
}

/** Returns the vendor of a part, or of a health note about one. */
function vendorIn(part: string): string {
  return rowOf(part) ? part : part.split(/[/:]/)[0]!
}

function waitsFor(submission: Submission, vendor: string): boolean {
  return outstanding(submission).some(work => (
    vendorOf(work) === vendor && (work.attempts > 0 || work.kind === 'post') && !work.limited && !work.refused
  ))
}

import { z } from 'zod'
import type { TriedAgain } from '../../../shared/types/status'
import type { HealthBook } from '../../ports/monitor'
import type { Forms } from '../../ports/form'
import type { Log, Runtime } from '../../ports/runtime'
import type { SubmissionStore } from '../../ports/store'
import type { Person, Submission, SubmissionRecord } from '../../ports/submission'
import { InvalidRequest, StoreUnavailable } from '../errors'
import { parsed } from '../json'
import type { RetryPolicy } from './backoff'
import type { CardQueue } from '../cards/card-queue'
import { decideEach, type OpsSubmissions } from '../queries/ops-submissions'
import type { Outbox } from './outbox'
import { getAll, orUnavailable } from '../queries/rows'
import { canSendAgain, outstanding, vendorOf } from '../lifecycle/record'

export interface RetriesPorts {
  store: Pick<SubmissionStore, 'get' | 'upcoming' | 'listRecords'>
  outbox: Pick<Outbox, 'apply'>
  queue: Pick<CardQueue, 'reopen'>
  submissions: Pick<OpsSubmissions, 'decide' | 'postAgain'>
  health: Pick<HealthBook, 'read'>
  /** Keys of all platforms, and the deliveries. */
  vendors: readonly string[]
  forms: Pick<Forms, 'rooms'>
  /** Does what is due. */
  sweep: () => Promise<unknown>
  policy: Pick<RetryPolicy, 'baseMs'>
  runtime: Pick<Runtime, 'now' | 'background' | 'detached'>
  log: Log
}

/** An outage ends what waits for so many times the base delay, 30 s at the default: pauses are short before that. */
const OUTAGE = 6

/** Work waits for its next attempt no longer than this, ms: an edit does, and with it what a long queue holds up. */
const LONGEST_WAIT_MS = 24 * 60 * 60 * 1000

/** Submissions that are looked at for one vendor, and those that were given up of which one request takes care. */
const [MOST, MOST_GIVEN_UP] = [10_000, 1000]

const PAGE = 100

/** Submissions that are pulled forward at once: the store has others to answer. */
const AT_ONCE = 8

const asked = z.object({ part: z.string().max(200) })

/** Tries again what failed, once its cause is mended. */
export class Retries {
  constructor(private readonly ports: RetriesPorts) {}

  /**
   * Pulls forward what waits for a part that works again, for all replicas. Returns at once.
   *
   * @param since when its outage began, epoch ms
   */
  recovered(note: string, since: number): void {
    const { runtime, policy, log } = this.ports
    if (runtime.now() - since < OUTAGE * policy.baseMs) return
    const vendor = vendorIn(note)
    runtime.background(runtime.detached(() => this.pull(vendor).then(
      submissions => submissions > 0 && log.info('outage.over', { vendor, submissions }),
      error => log.warn('retries.failed', { vendor, error }),
    )))
  }

  /**
   * Tries everything again that waits for a part or was given up there. Emails that came back are left alone.
   *
   * @throws InvalidRequest, StoreUnavailable
   */
  async tryAll(body: unknown, reviewer: Person): Promise<TriedAgain> {
    const { vendors, submissions, queue, forms, health, runtime } = this.ports
    const vendor = vendorIn(parsed(asked, body).part)
    if (!vendors.includes(vendor)) {
      throw new InvalidRequest(`Nothing is sent there. Name one of these as part: ${vendors.join(', ')}.`)
    }
    const notes = await orUnavailable(health.read())
    const isOpen = (room: string) => (notes[room]?.limitedUntil ?? 0) <= runtime.now()
    await orUnavailable(queue.reopen(forms.rooms.filter(room => vendorIn(room) === vendor && isOpen(room))))
    const waiting = await orUnavailable(this.pull(vendor))
    const ids = await orUnavailable(this.givenUp(vendor))
    const results = await decideEach(ids, async (id) => {
      if (vendor === 'email' || vendor === 'endpoint') await submissions.decide(id, { action: 'resend' }, reviewer)
      else await submissions.postAgain(id, reviewer)
    })
    const errors = results.flatMap(({ error }) => error instanceof Error ? [error] : [])
    const away = errors.find(error => error instanceof StoreUnavailable)
    if (away) throw away
    return { tried: waiting + ids.length - errors.length, left: errors.length, reason: errors[0]?.message ?? null }
  }

  /** Resolves with how many submissions wait for the vendor. */
  private async pull(vendor: string): Promise<number> {
    const { store, outbox, runtime, sweep } = this.ports
    const ids = (await store.upcoming(runtime.now() + LONGEST_WAIT_MS, MOST)).values()
    let count = 0
    const work = async () => {
      for (const id of ids) {
        const [submission] = await getAll(store, [id])
        if (!submission || !waitsFor(submission, vendor)) continue
        count++
        await outbox.apply(id, [{ type: 'pulled', vendor }], submission)
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, work))
    if (count > 0) runtime.background(runtime.detached(() => sweep().catch(() => { /* The next sweep does it. */ })))
    return count
  }

  private async givenUp(vendor: string): Promise<string[]> {
    const ids: string[] = []
    let cursor: string | null | undefined
    do {
      const page = await this.ports.store.listRecords({
        limit: PAGE, only: 'stuck', sort: 'oldest', ...cursor && { before: cursor },
      })
      ids.push(...page.submissions.filter(each => givenUpBy(each).includes(vendor)).map(({ id }) => id))
      cursor = page.cursor
    } while (cursor && ids.length < MOST_GIVEN_UP)
    return ids.slice(0, MOST_GIVEN_UP)
  }
}

/** Vendors whose refusals a submission waits for a person with. An email that came back is not its provider's fault. */
export function givenUpBy(submission: SubmissionRecord): string[] {
  const { failures, work } = submission
  const deliveries = canSendAgain(submission) ? [] : failures.map(({ delivery }) => delivery)
  return [...deliveries, ...work.filter(({ refused }) => refused).map(vendorOf)]
}

/** The vendor of a part, or of a note about one. */
function vendorIn(part: string): string {
  return part.split(/[/:]/)[0]!
}

function waitsFor(submission: Submission, vendor: string): boolean {
  return outstanding(submission).some(work => (
    vendorOf(work) === vendor && (work.attempts > 0 || work.kind === 'post') && !work.limited && !work.refused
  ))
}

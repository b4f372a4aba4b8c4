import type { Monitor } from '../../ports/monitor'
import type { Runtime } from '../../ports/runtime'
import type { CardRef, Submission, Work } from '../../ports/submission'
import { retryAt, type RetryPolicy } from './backoff'
import type { CardQueue } from '../cards/card-queue'
import { perform, type WorkPorts } from './deliver'
import type { Applied, EventsOn, LifecycleEvent } from '../lifecycle/events'
import { transitions } from '../lifecycle/lifecycle'
import { missingIn, roomOfCard, roomOfWork } from '../review/scope'
import { isDelivery } from '../lifecycle/record'

/** Longest time that a card edit waits for deliveries, ms. */
const EDIT_PATIENCE_MS = 1000

/** Delay before waiting work is checked again, ms. */
const LOOK_AGAIN_MS = 60_000

/** Window for batching results into one write, ms; after a crash they are redelivered under the same key. */
const TOGETHER_MS = 250

export interface RunPorts extends WorkPorts {
  queue: CardQueue
  policy: RetryPolicy
  /** Time after a decision in which cards still show the form, ms; no limit by default. */
  cardDataMs?: number | null
  runtime: Runtime
  monitor: Monitor
}

/** Outbox methods that a run uses. */
interface Ledger {
  record(id: string, events: EventsOn, known: Submission): Promise<Applied | null>
  inTurn<T>(card: CardRef, edit: () => Promise<T>): Promise<T>
}

type Attempt = Awaited<ReturnType<typeof perform>>

/** Result of one piece of work. */
interface Report {
  /** True if it may wait to be written. Failures may not, and posted cards may not: a crash would post them again. */
  canWait: boolean
  eventsOn: EventsOn
}

/**
 * Work on one submission: starts all effects at once, side by side. Cards show the stored submission plus the results
 * since then. Results that arrive close together become one write.
 */
export class Run {
  private readonly performing: Promise<void>[] = []
  /** Resolves when no delivery is running; null after that. */
  private delivering: Promise<void> | null = null
  /** Results that are not stored yet. */
  private readonly reports: Report[] = []
  /** Card edits that wait for the end of a write. */
  private readonly held: Work[] = []
  private writing: Promise<void> = Promise.resolve()
  private isWriting = false
  /** Versions after which another process wrote the next one. */
  private readonly overtaken = new Set<number>()

  constructor(
    private stored: Submission, private readonly outbox: Ledger, private readonly ports: RunPorts,
    private readonly id = stored.id,
  ) {}

  /** Resolves when the results are written. @param tried called when all results are known */
  async start(work: readonly Work[], tried = () => {}): Promise<void> {
    const performed = work.filter(({ kind }) => isDelivery(kind)).map(item => this.perform(item))
    if (performed.length > 0) this.delivering = Promise.all(performed).then(() => { this.delivering = null })
    performed.push(...work.filter(({ kind }) => !isDelivery(kind)).map(item => this.perform(item)))
    this.performing.push(...performed)
    void Promise.all(performed).then(tried)
    await Promise.all(performed.map(each => each.then(() => this.writing = this.writing.then(() => this.write()))))
  }

  private async perform(work: Work): Promise<void> {
    const { board, log, monitor, queue, runtime, policy } = this.ports
    const { kind } = work
    // Fast deliveries need one edit of each card; slow ones first show "Being sent".
    const patienceMs = Math.min(EDIT_PATIENCE_MS, policy.leaseMs / 2)
    if (kind === 'update' && this.delivering) await runtime.within(this.delivering, patienceMs)
    const startedAt = runtime.now()
    const outcome = await this.attempt(work).catch((error: Error): Attempt => {
      log.error('work.crashed', { submission: this.id, work: kind, error })
      return { ok: false, reason: 'An unexpected error.', permanent: false }
    })
    if (outcome === 'waiting' && kind === 'update') return void this.held.push(work)
    const room = work.card ? roomOfCard(work.card, board) : work.room
    if (typeof outcome === 'object') {
      monitor.tried({ ...work, room }, outcome, runtime.now() - startedAt)
      if (kind === 'post') await queue.tried(room!, outcome)
    }
    this.reports.push(this.report(work, outcome))
  }

  private report(work: Work, outcome: Attempt): Report {
    const { board, log, policy, runtime } = this.ports
    const { kind, key } = work
    if (typeof outcome !== 'object') {
      const until = outcome === 'waiting' ? runtime.now() + LOOK_AGAIN_MS : outcome
      return { canWait: false, eventsOn: () => [{ type: 'put-off', key, until }] }
    }
    if (outcome.ok) {
      const { version, ...done } = outcome.value ?? {}
      return { canWait: kind === 'update' || isDelivery(kind), eventsOn: () => [
        { type: 'done', key, ...done, version: version && this.overtaken.has(version - 1) ? version - 1 : version },
      ] }
    }
    const { reason, content, gone, limited } = outcome
    const again = retryAt(work, outcome, runtime.now(), runtime.random(), policy)
    const room = roomOfWork(work, this.stored.cards, board)
    log.warn('work.failed', {
      submission: this.id, work: kind, room, attempt: work.attempts + 1, reason, again: again !== null,
    })
    const refused = kind === 'post' && content
    const events: LifecycleEvent[] = [{ type: 'failed', key, room, reason, retryAt: again, refused, gone, limited }]
    const card = kind === 'update' && gone && again === null ? work.card : undefined
    if (card) events.push({ type: 'card-deleted', card, room: missingIn(this.stored, card, this.ports) })
    return { canWait: false, eventsOn: () => events }
  }

  private async write(): Promise<void> {
    const { runtime } = this.ports
    // Results that arrive together become one write.
    await runtime.turn()
    if (this.reports.length === 0) return
    if (this.reports.every(({ canWait }) => canWait)) await runtime.within(Promise.all(this.performing), TOGETHER_MS)
    const { stored } = this
    const reports = this.reports.splice(0)
    this.isWriting = true
    const applied = await this.outbox.record(this.id, (present) => {
      if (present.version !== stored.version) this.overtaken.add(stored.version)
      return reports.flatMap(({ eventsOn }) => eventsOn(present))
    }, stored)
    this.isWriting = false
    const [submission, added] = applied && !('refused' in applied) ? [applied.submission, applied.added] : [stored, []]
    this.stored = submission
    const isReopened = stored.state !== 'open' && submission.state === 'open'
    // Include posts that became due while the submission was decided.
    const missed = submission.work.filter(item => (
      isReopened && item.kind === 'post' && item.dueAt <= runtime.now() && !added.includes(item)
    ))
    const work = [...added, ...missed, ...this.held.splice(0)]
    // Not awaited: the new work writes its own results after this write.
    if (work.length > 0) runtime.background(this.start(work))
  }

  /** Returns what cards show: the stored submission and, after all deliveries, unstored results; null during writes. */
  private shown(): Submission | null {
    const { runtime, policy: { leaseMs }, cardDataMs } = this.ports
    const { stored } = this
    if (this.isWriting) return null
    if (this.delivering) return stored
    const events = this.reports.flatMap(({ eventsOn }) => eventsOn(stored))
    const step = transitions(stored, events, runtime.now(), leaseMs, cardDataMs)
    if ('refused' in step) return stored
    // Do not show buttons before they work.
    return step.next.state === 'open' && stored.state !== 'open' ? null : step.next
  }

  private async attempt(work: Work): Promise<Attempt> {
    if (work.kind !== 'update') return perform(work, this.stored, this.ports)
    return this.outbox.inTurn(work.card!, async () => {
      const shown = this.shown()
      return shown ? perform(work, shown, this.ports) : 'waiting'
    })
  }
}

import type { ReviewBoard } from '../../ports/board'
import type { Leaving } from '../../ports/card-queue'
import type { Outcome } from '../../ports/delivery'
import type { Monitor } from '../../ports/monitor'
import type { Log, Runtime } from '../../ports/runtime'
import type { SubmissionStore } from '../../ports/store'
import type { CardRef, Submission, Work } from '../../ports/submission'
import { retryAt, type RetryPolicy } from './backoff'
import type { CardQueue } from './card-queue'
import { deliver, type DeliveryPorts } from './deliver'
import type { Applied, Done, LifecycleEvent } from './events'
import { QUEUE_CHECK_MS } from './lifecycle'
import { cardView, reminder, retiredCardView } from './present'
import { isDelivery } from './record'

/** A write that meets an unreachable store is repeated after these pauses, ms, before the lease takes over. */
const WRITE_RETRIES_MS = [200, 400, 800, 1600, 3200]

/** An edit waits so long for the deliveries that it is to tell of, ms. */
const EDIT_PATIENCE_MS = 1000

/** Longest that a process waits with work of which there is no record, ms. */
const MOST_PATIENCE_MS = 60_000

export interface OutboxPorts extends DeliveryPorts {
  store: SubmissionStore
  board: ReviewBoard
  queue: CardQueue
  policy: RetryPolicy
  runtime: Runtime
  monitor: Monitor
  log: Log
}

/** Where a run writes what was done. */
interface Ledger {
  apply(
    id: string, events: readonly LifecycleEvent[], known: Submission | null, leaving: readonly Leaving[],
  ): Promise<Applied>
  inTurn<T>(card: CardRef, edit: () => Promise<T>): Promise<T>
}

/** One sitting at one submission: effects at once and side by side, their results written in the order they come. */
export class Run {
  private readonly reports: { event: LifecycleEvent, leaving: readonly Leaving[] }[] = []
  /** Deliveries under way. */
  private readonly delivering = new Set<Promise<void>>()
  private writing: Promise<void> = Promise.resolve()

  constructor(
    private current: Submission | null, private readonly outbox: Ledger, private readonly ports: OutboxPorts,
    private readonly id = current!.id,
  ) {}

  async start(work: readonly Work[]): Promise<void> {
    const deliveries = work.filter(({ kind }) => isDelivery(kind)).map((item) => {
      const delivering = this.perform(item).finally(() => this.delivering.delete(delivering))
      this.delivering.add(delivering)
      return delivering
    })
    await Promise.all([...deliveries, ...work.filter(({ kind }) => !isDelivery(kind)).map(item => this.perform(item))])
  }

  private async perform(work: Work): Promise<void> {
    if (work.kind === 'update') await this.untilDelivered()
    const startedAt = this.ports.runtime.now()
    const outcome = await this.attempt(work).catch((error: Error): Outcome<Done> => {
      this.ports.log.error('work.crashed', { submission: this.id, work: work.kind, error })
      return { ok: false, reason: 'An unexpected error.', permanent: false }
    })
    if (outcome !== 'waiting') this.ports.monitor.tried(work, outcome, this.ports.runtime.now() - startedAt)
    this.reports.push({
      event: this.report(work, outcome),
      leaving: outcome === 'waiting' ? [] : this.ports.queue.leavingAfter(work, outcome),
    })
    await (this.writing = this.writing.then(() => this.write()))
  }

  /** What goes out within a moment costs one edit of each card; what takes longer is said to be on its way. */
  private async untilDelivered(): Promise<void> {
    const { runtime, policy } = this.ports
    if (this.delivering.size > 0) {
      await runtime.within(Promise.all(this.delivering), Math.min(EDIT_PATIENCE_MS, policy.leaseMs / 2))
    }
  }

  private report(work: Work, outcome: Outcome<Done> | 'waiting'): LifecycleEvent {
    const { log, runtime, policy } = this.ports
    if (outcome === 'waiting') return { type: 'put-off', key: work.key, until: runtime.now() + QUEUE_CHECK_MS }
    if (outcome.ok) return { type: 'done', key: work.key, ...outcome.value }
    const again = retryAt(work, outcome, runtime.now(), runtime.random(), policy)
    log.warn('work.failed', {
      submission: this.id, work: work.kind, room: work.room ?? work.card?.platform, attempt: work.attempts + 1,
      reason: outcome.reason, again: again !== null,
    })
    return { type: 'failed', key: work.key, reason: outcome.reason, retryAt: again, refused: work.kind === 'post'
      && outcome.content }
  }

  private async write(): Promise<void> {
    // Answers that arrive together become one write.
    await this.ports.runtime.turn()
    const reports = this.reports.splice(0)
    if (reports.length === 0) return
    const [events, leaving] = [reports.map(({ event }) => event), reports.flatMap(({ leaving }) => leaving)]
    const applied = await this.applyPersistently(events, leaving)
    if (!applied || 'refused' in applied) {
      await this.ports.queue.leave(this.id, leaving)
      if (applied?.refused === 'gone') await this.retire(events)
      return
    }
    const wasOpen = this.current?.state === 'open'
    this.current = applied.submission
    const work = [...applied.added, ...wasOpen ? [] : this.queued(applied)]
    // Not awaited here: their own reports queue behind this write.
    if (work.length > 0) this.ports.runtime.background(this.start(work))
  }

  /** Cards of a submission that is open again: the queue knows whether they are in flight. */
  private queued({ submission, added }: Extract<Applied, { added: unknown }>): Work[] {
    if (submission?.state !== 'open') return []
    return submission.work.filter(
      work => work.kind === 'post' && work.attempts === 0 && !added.includes(work)
        && this.ports.queue.isPaced(work.room!),
    )
  }

  private async applyPersistently(events: LifecycleEvent[], leaving: readonly Leaving[]): Promise<Applied | null> {
    for (const pause of [...WRITE_RETRIES_MS, null]) {
      try {
        return await this.outbox.apply(this.id, events, this.current, leaving)
      }
      catch (error) {
        if (pause === null) this.ports.log.error('outbox.write-failed', { submission: this.id, error })
        else await this.ports.runtime.wait(pause)
      }
    }
    return null
  }

  /** Cards that were posted while somebody decided elsewhere and everything else was finished already. */
  private async retire(events: readonly LifecycleEvent[]): Promise<void> {
    for (const event of events) {
      if (event.type === 'done' && event.card && event.key.startsWith('post:')) await this.retireCard(event.card)
    }
  }

  /** There is no record left to keep this work, so it is repeated here. */
  private async retireCard(card: CardRef): Promise<void> {
    for (const pause of WRITE_RETRIES_MS) {
      const outcome = await this.ports.board.update(card, retiredCardView(this.id, this.ports.presentation))
      if (outcome.ok || outcome.permanent) return
      await this.ports.runtime.wait(Math.max(pause, Math.min(outcome.retryAfterMs ?? 0, MOST_PATIENCE_MS)))
    }
    this.ports.log.warn('card.not-retired', { submission: this.id, platform: card.platform })
  }

  private async attempt(work: Work): Promise<Outcome<Done> | 'waiting'> {
    const { board, presentation } = this.ports
    const submission = this.current
    if (!submission) return { ok: true, value: {} }
    switch (work.kind) {
      case 'post':
        if (submission.state !== 'open' || !await this.ports.queue.mayPost(work, this.id)) return 'waiting'
        return shown(submission, await board.post(work.room!, cardView(submission, presentation)))
      case 'remind': {
        const outcome = await board.reply(work.card!, reminder(submission))
        return outcome.ok ? { ok: true, value: {} } : outcome
      }
      case 'update': return this.outbox.inTurn(work.card!, async () => {
        const newest = this.current ?? submission
        return shown(newest, await board.update(work.card!, cardView(newest, presentation)), work.card)
      })
      case 'email':
      case 'endpoint': {
        const outcome = await deliver(work.kind, submission, this.ports)
        return outcome.ok ? { ok: true, value: { sent: outcome.value } } : outcome
      }
    }
  }
}

/** What a card shows from now on. */
function shown({ version }: Submission, outcome: Outcome<CardRef | undefined>, card?: CardRef): Outcome<Done> {
  return outcome.ok ? { ok: true, value: { card: outcome.value ?? card, version } } : outcome
}

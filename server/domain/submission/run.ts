import type { Outcome } from '../../ports/delivery'
import type { CardRef, Submission, Work } from '../../ports/submission'
import { retryAt, roomPauseMs } from './backoff'
import { deliver } from './deliver'
import { LINE_CHECK_MS, type LifecycleEvent } from './lifecycle'
import type { Applied, Outbox, OutboxPorts } from './outbox'
import { cardView, reminder, retiredCardView } from './present'

/** A write that meets an unreachable store is repeated after these pauses, ms, before the lease takes over. */
const WRITE_RETRIES_MS = [200, 400, 800, 1600, 3200]

/** One sitting at one submission: effects at once and side by side, their results written in the order they come. */
export class Run {
  private readonly reports: LifecycleEvent[] = []
  private writing: Promise<void> = Promise.resolve()

  constructor(private current: Submission | null, private readonly outbox: Outbox, private readonly ports: OutboxPorts, private readonly granted: readonly string[], private readonly id = current!.id) {}

  async start(work: readonly Work[]): Promise<void> {
    await Promise.all(work.map(item => this.perform(item)))
  }

  private async perform(work: Work): Promise<void> {
    const startedAt = this.ports.runtime.now()
    const outcome = await this.attempt(work).catch((error: Error): Outcome => {
      this.ports.log.error('work.crashed', { submission: this.id, work: work.kind, error })
      return { ok: false, reason: 'An unexpected error.', permanent: false }
    })
    if (outcome !== 'waiting') this.ports.monitor.tried(work, outcome, this.ports.runtime.now() - startedAt)
    const report = this.report(work, outcome)
    this.reports.push(report)
    await Promise.all([this.writing = this.writing.then(() => this.write()), this.moveLine(work, outcome)])
  }

  private report(work: Work, outcome: Outcome<CardRef | undefined> | 'waiting'): LifecycleEvent {
    const { log, runtime, policy } = this.ports
    if (outcome === 'waiting') return { type: 'put-off', key: work.key, until: runtime.now() + LINE_CHECK_MS }
    if (outcome.ok) return { type: 'done', key: work.key, card: outcome.value }
    const again = retryAt(work, outcome, runtime.now(), runtime.random(), policy)
    log.warn('work.failed', { submission: this.id, work: work.kind, room: work.room ?? work.card?.platform, attempt: work.attempts + 1, reason: outcome.reason, again: again !== null })
    return { type: 'failed', key: work.key, reason: outcome.reason, retryAt: again, refused: work.kind === 'post' && outcome.content }
  }

  /**
   * Posted or not, the card leaves its line, so that what is refused holds nobody up; when it is due again it goes first.
   * A rate limit, or a room that takes nothing, holds all of them.
   */
  private async moveLine({ kind, room }: Work, outcome: Outcome<unknown> | 'waiting'): Promise<void> {
    const { line, board, log, policy } = this.ports
    if (kind !== 'post' || board.intervalMs(room!) === 0 || outcome === 'waiting') return
    try {
      const pauseMs = outcome.ok ? 0 : outcome.retryAfterMs ?? (outcome.permanent && !outcome.content ? roomPauseMs(policy) : 0)
      // Closed first: who leaves lets the next one go.
      if (pauseMs > 0) await line.close(room!, pauseMs)
      await line.leave(room!, this.id)
    }
    catch (error) {
      log.warn('line.failed', { submission: this.id, room, error })
    }
  }

  private async write(): Promise<void> {
    // Answers that arrive together become one write.
    await this.ports.runtime.turn()
    const events = this.reports.splice(0)
    if (events.length === 0) return
    const applied = await this.applyPersistently(events)
    if (!applied) return
    if ('refused' in applied) {
      if (applied.refused === 'gone') await this.retire(events)
      return
    }
    this.current = applied.submission
    // Not awaited here: their own reports queue behind this write.
    if (applied.added.length > 0) this.ports.runtime.background(this.start(applied.added))
  }

  private async applyPersistently(events: LifecycleEvent[]): Promise<Applied | null> {
    for (const pause of [...WRITE_RETRIES_MS, null]) {
      try {
        return await this.outbox.apply(this.id, events, this.current)
      }
      catch (error) {
        if (pause === null) this.ports.log.error('outbox.write-failed', { submission: this.id, error })
        else await this.ports.runtime.wait(pause)
      }
    }
    return null
  }

  private async isItsTurn({ room, attempts }: Work): Promise<boolean> {
    const { board, line, policy } = this.ports
    const intervalMs = board.intervalMs(room!)
    if (intervalMs === 0 || this.granted.includes(room!)) return true
    return await line.enter({ room: room!, intervalMs }, this.id, { leaseMs: policy.leaseMs, first: attempts > 0 }) === 0
  }

  /** Cards that were posted while somebody decided elsewhere and everything else was finished already. */
  private async retire(events: readonly LifecycleEvent[]): Promise<void> {
    for (const event of events) {
      if (event.type === 'done' && event.card) await this.retireCard(event.card)
    }
  }

  /** There is no record left to keep this work, so it is repeated here. */
  private async retireCard(card: CardRef): Promise<void> {
    for (const pause of WRITE_RETRIES_MS) {
      const outcome = await this.ports.board.update(card, retiredCardView(this.id, this.ports.presentation))
      if (outcome.ok || outcome.permanent) return
      await this.ports.runtime.wait(Math.max(pause, outcome.retryAfterMs ?? 0))
    }
    this.ports.log.warn('card.not-retired', { submission: this.id, platform: card.platform })
  }

  private async attempt(work: Work): Promise<Outcome<CardRef | undefined> | 'waiting'> {
    const { board, presentation } = this.ports
    const submission = this.current
    if (!submission) return { ok: true, value: undefined }
    switch (work.kind) {
      case 'post': return await this.isItsTurn(work) ? board.post(work.room!, cardView(submission, presentation)) : 'waiting'
      case 'remind': return board.reply(work.card!, reminder(submission))
      case 'update': return this.outbox.inTurn(work.card!, () => board.update(work.card!, cardView(this.current ?? submission, presentation)))
      case 'email':
      case 'endpoint': return deliver(work.kind, submission, this.ports)
    }
  }
}

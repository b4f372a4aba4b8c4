import { createHash } from 'node:crypto'
import type { ReviewBoard } from '../../ports/board'
import type { Mailer, Outcome } from '../../ports/delivery'
import type { CardLine } from '../../ports/line'
import type { Monitor } from '../../ports/monitor'
import type { Log, Runtime } from '../../ports/runtime'
import type { SubmissionStore } from '../../ports/store'
import type { AuditLine, CardRef, Submission, Work } from '../../ports/submission'
import { retryAt, type RetryPolicy } from './backoff'
import { composeEmail, type EmailTemplate, type MailSender } from './email'
import { LINE_CHECK_MS, transition, type LifecycleEvent, type Refusal, type Transition } from './lifecycle'
import { cardView, reminder, retiredCardView, type Presentation } from './present'

export interface OutboxPorts {
  store: SubmissionStore
  board: ReviewBoard
  line: CardLine
  mailer: Mailer
  template: () => Promise<EmailTemplate>
  mail: MailSender
  presentation: Presentation
  policy: RetryPolicy
  runtime: Runtime
  monitor: Monitor
  log: Log
}

export type Applied = { refused: Refusal } | { submission: Submission | null, added: readonly Work[] }

/** A write that meets an unreachable store is repeated after these pauses, ms, before the lease takes over. */
const WRITE_RETRIES_MS = [200, 400, 800, 1600, 3200]

/** Does outstanding work and writes back what was done. */
export class Outbox {
  /** The last edit of each card that is being edited, by card. */
  private readonly edits = new Map<string, Promise<unknown>>()

  constructor(private readonly ports: OutboxPorts) {}

  /**
   * Applies events to a submission in one compare-and-set, again on its newest version when somebody was faster.
   *
   * @param known the version at hand, which saves reading it
   */
  async apply(id: string, events: readonly LifecycleEvent[], known?: Submission | null): Promise<Applied> {
    const { store, runtime, policy, monitor, log } = this.ports
    for (let current = known ?? await store.get(id); ; current = await store.get(id)) {
      if (!current) return { refused: 'gone' }
      const step = foldEvents(current, events, runtime.now(), policy.leaseMs)
      if ('refused' in step) return step
      const { next, added, finished } = step
      const audit = auditLine(current, next, finished, runtime.now())
      const stored = audit && finished ? await store.remove(current, audit) : await store.replace(current, next, audit)
      if (!stored) continue
      if (audit) {
        monitor.ended(audit)
        log.info('submission.finished', { submission: id, outcome: audit.outcome })
      }
      return { submission: finished ? null : next, added }
    }
  }

  /**
   * Does `work`, whose results may start more in the background. Resolves when `work` was done or put off; never rejects.
   *
   * @param granted rooms whose line let this submission's card out already
   */
  async run(submission: Submission, work: readonly Work[], granted: readonly string[] = []): Promise<void> {
    await new Run(submission, this, this.ports, granted).start(work)
  }

  /** Somebody clicked a card that is behind: what failed to update it is tried now instead of later. */
  async refresh(submission: Submission, card: CardRef): Promise<void> {
    const isBehind = submission.work.some(({ card: of, attempts }) => of?.messageId === card.messageId && of.platform === card.platform && attempts > 0)
    if (!isBehind) return
    const { board, presentation } = this.ports
    await this.inTurn(card, () => board.update(card, cardView(submission, presentation)))
  }

  /** Two edits of one card never overtake each other, whichever decisions they are for. */
  async inTurn<T>({ platform, messageId }: CardRef, edit: () => Promise<T>): Promise<T> {
    const card = `${platform}:${messageId}`
    const turn = (this.edits.get(card) ?? Promise.resolve()).then(edit)
    const settled: Promise<unknown> = turn.catch(() => { /* The caller has it. */ }).finally(() => {
      if (this.edits.get(card) === settled) this.edits.delete(card)
    })
    this.edits.set(card, settled)
    return turn
  }
}

/** One sitting at one submission: effects at once and side by side, their results written in the order they come. */
class Run {
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
    await Promise.all([this.writing = this.writing.then(() => this.write()), this.moveLine(work, outcome, report)])
  }

  private report(work: Work, outcome: Outcome<CardRef | undefined> | 'waiting'): LifecycleEvent {
    const { log, runtime, policy } = this.ports
    if (outcome === 'waiting') return { type: 'put-off', key: work.key, until: runtime.now() + LINE_CHECK_MS }
    if (outcome.ok) return { type: 'done', key: work.key, card: outcome.value }
    const again = retryAt(work, outcome, runtime.now(), runtime.random(), policy)
    log.warn('work.failed', { submission: this.id, work: work.kind, room: work.room ?? work.card?.platform, attempt: work.attempts + 1, reason: outcome.reason, again: again !== null })
    return { type: 'failed', key: work.key, reason: outcome.reason, retryAt: again }
  }

  /** A posted card leaves its line; one that failed lets others go first, and a rate limit holds all of them. */
  private async moveLine(work: Work, outcome: Outcome<unknown> | 'waiting', report: LifecycleEvent): Promise<void> {
    const { line, board, log } = this.ports
    if (work.kind !== 'post' || board.intervalMs(work.room!) === 0 || outcome === 'waiting') return
    try {
      if (outcome.ok) await line.leave(work.room!, this.id)
      else if (report.type === 'failed' && report.retryAt !== null) await line.putOff(work.room!, this.id, report.retryAt)
      if (!outcome.ok && outcome.retryAfterMs) await line.close(work.room!, outcome.retryAfterMs)
    }
    catch (error) {
      log.warn('line.failed', { submission: this.id, room: work.room, error })
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

  private async isItsTurn(room: string): Promise<boolean> {
    const { board, line, runtime, policy } = this.ports
    const intervalMs = board.intervalMs(room)
    if (intervalMs === 0 || this.granted.includes(room)) return true
    return await line.enter({ room, now: runtime.now(), intervalMs }, this.id, runtime.now() + policy.leaseMs) === 0
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
    const { board, mailer, presentation, mail, template } = this.ports
    const submission = this.current
    if (!submission) return { ok: true, value: undefined }
    const form = presentation.forms.of(submission.form)
    switch (work.kind) {
      case 'post': return await this.isItsTurn(work.room!) ? board.post(work.room!, cardView(submission, presentation)) : 'waiting'
      case 'remind': return board.reply(work.card!, reminder(submission))
      case 'update': return this.outbox.inTurn(work.card!, () => board.update(work.card!, cardView(this.current ?? submission, presentation)))
      case 'email':
        if (!submission.data) return dataGone
        return mailer.send(await composeEmail(submission, form, mail, template), deliveryKey(submission))
      case 'endpoint':
        if (!submission.data) return dataGone
        return form.endpoint ? form.endpoint.post(JSON.stringify(submission.data), deliveryKey(submission)) : { ok: true, value: undefined }
    }
  }
}

/** Events that came together become one write; those that no longer apply are left out. */
function foldEvents(current: Submission, events: readonly LifecycleEvent[], now: number, leaseMs: number): Transition {
  let refused: Refusal = 'unknown-work'
  let folded: Exclude<Transition, { refused: Refusal }> | undefined
  for (const event of events) {
    if (folded?.finished) break
    // One write, one version: each step counts from the stored one, so that the keys of its work are never used again.
    const step = transition({ ...folded?.next ?? current, version: current.version }, event, now, leaseMs)
    if ('refused' in step) refused = step.refused
    else folded = { ...step, added: [...folded?.added ?? [], ...step.added] }
  }
  return folded ? { ...folded, added: folded.added.filter(work => folded.next.work.includes(work)) } : { refused }
}

const dataGone: Outcome = { ok: false, reason: 'The data expired before it could be delivered.', permanent: true }

/**
 * One key per submission and content: retries and a second forward of the same data are one delivery to the
 * receiver, a forward of edited data is a new one.
 */
export function deliveryKey(submission: Submission): string {
  return `${submission.id}-${createHash('sha256').update(JSON.stringify(submission.data)).digest('hex').slice(0, 16)}`
}

/** What a step says to the audit trail: the end of a submission, or that its deliveries were given up. */
function auditLine(previous: Submission, next: Submission, finished: boolean, now: number): AuditLine | undefined {
  const { id, receivedAt } = next
  if (!finished) return previous.state === 'settling' && next.state === 'open' ? { id, outcome: 'failed', at: now, reviewer: previous.decision?.reviewer ?? null, receivedAt } : undefined
  const { decision } = next
  const outcome = next.state === 'expired' ? 'expired' : decision?.action === 'spam' ? 'spam' : next.edited.length > 0 ? 'edited' : 'forwarded'
  return { id, outcome, at: decision?.at ?? now, reviewer: decision?.reviewer ?? null, receivedAt }
}

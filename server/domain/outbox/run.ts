import type { AttemptFacts, CardRef, Submission, Work } from '../../ports/submission'
import type { Outcome } from '../../ports/delivery'
import type { Context } from '../context'
import { deliveriesEndAt, isSent, retryAt } from './backoff'
import type { CardQueue } from '../cards/card-queue'
import { WAITS_IN_LINE, trialPauseMs, type Rests } from './rests'
import { perform } from './deliver'
import type { Applied, Done, EventsOn, LifecycleEvent } from '../lifecycle/events'
import { transitions } from '../lifecycle/lifecycle'
import { missingIn, roomOfCard, roomOfWork } from '../review/scope'
import { isDelivery } from '../lifecycle/record'
import { redactedAnswer } from './answer'

/** Max time that a card edit waits for deliveries, ms. */
const EDIT_PATIENCE_MS = 1000

/** Delay before waiting work is checked again, ms. */
const RECHECK_MS = 60_000

/** Window for batching results into one write, ms; after a crash they are redelivered under the same key. */
const BATCH_WINDOW_MS = 250

/** Outbox methods that a run uses. */
interface Ledger {
  readonly queue: CardQueue
  readonly rests: Rests
  record(id: string, events: EventsOn, snapshot: Submission): Promise<Applied | null>
  inTurn<T>(card: CardRef, edit: () => Promise<T>): Promise<T>
}

type WorkOutcome = Awaited<ReturnType<typeof perform>>

/** Returns what the history of a submission keeps about an attempt at its delivery. */
function attemptOf(outcome: Outcome<Done | undefined>, ms: number, submission: Submission): AttemptFacts {
  const { status, answer } = (outcome.ok ? outcome.value : outcome) ?? {}
  // Without the form data, nobody could tell its values in the answer.
  return { ms, status, answer: answer && submission.data ? redactedAnswer(answer, submission) : undefined }
}

/** Result of one piece of work. */
interface Report {
  /**
   * True if it need not be written at once. False for failures, and for posted cards: a crash would post them again.
   */
  canWait: boolean
  eventsOn: EventsOn
}

/**
 * Does the work of one submission, all in parallel. Cards show the stored submission plus newer results. Results that
 * arrive close together become one write.
 */
export class Run {
  private readonly attempts: Promise<void>[] = []
  /** Resolves when no delivery is running; null if none is. */
  private deliveriesSettled: Promise<void> | null = null
  /** Results that are not stored yet. */
  private readonly reports: Report[] = []
  /** Card edits to make after the current write. */
  private readonly waitingEdits: Work[] = []
  private lastWrite: Promise<void> = Promise.resolve()
  private isWriting = false
  /** Versions that another process has replaced. */
  private readonly overtakenVersions = new Set<number>()

  constructor(
    private storedSubmission: Submission, private readonly outbox: Ledger, private readonly context: Context,
    private readonly id = storedSubmission.id,
  ) {}

  /** Resolves when the results are written. @param onTried called when all results are known */
  async start(work: readonly Work[], onTried = () => {}): Promise<void> {
    const attempts = work.filter(({ kind }) => isDelivery(kind)).map(item => this.perform(item))
    if (attempts.length > 0) {
      this.deliveriesSettled = Promise.all(attempts).then(() => { this.deliveriesSettled = null })
    }
    attempts.push(...work.filter(({ kind }) => !isDelivery(kind)).map(item => this.perform(item)))
    this.attempts.push(...attempts)
    void Promise.all(attempts).then(onTried)
    await Promise.all(attempts.map(each => each.then(() => this.lastWrite = this.lastWrite.then(() => this.write()))))
  }

  private async perform(work: Work): Promise<void> {
    const { board, log, monitor, runtime, policy } = this.context
    const { kind } = work
    // Fast deliveries need one edit of each card; slow ones first show "Being sent".
    const patienceMs = Math.min(EDIT_PATIENCE_MS, policy.leaseMs / 2)
    if (kind === 'update' && this.deliveriesSettled) await runtime.within(this.deliveriesSettled, patienceMs)
    const startedAt = runtime.now()
    const sentSubmission = this.storedSubmission
    const outcome = await this.attempt(work).catch((error: Error): WorkOutcome => {
      log.error('work.crashed', { submission: this.id, work: kind, error })
      return { ok: false, reason: 'An unexpected error.', permanent: false }
    })
    if (outcome === 'waiting' && kind === 'update') return void this.waitingEdits.push(work)
    const room = work.card ? roomOfCard(work.card, board) : work.room
    const ms = runtime.now() - startedAt
    if (typeof outcome === 'object') {
      monitor.tried({ ...work, room }, outcome, ms)
      if (kind === 'post') await this.outbox.queue.tried(room!, outcome)
      if (isDelivery(kind)) await this.outbox.rests.tried(work, outcome, sentSubmission)
    }
    const attempt = isDelivery(kind) && typeof outcome === 'object' ? attemptOf(outcome, ms, sentSubmission) : {}
    this.reports.push(this.report(work, outcome, attempt))
  }

  private report(work: Work, outcome: WorkOutcome, attempt: AttemptFacts): Report {
    const { board, log, policy, runtime } = this.context
    const { kind, key } = work
    if (typeof outcome !== 'object') {
      const until = outcome === 'waiting' ? runtime.now() + RECHECK_MS : outcome
      const reason = isDelivery(kind) && outcome !== 'waiting' ? WAITS_IN_LINE : undefined
      return { canWait: false, eventsOn: () => [{ type: 'put-off', key, until, reason }] }
    }
    if (outcome.ok) {
      const { version, ...result } = outcome.value ?? {}
      return { canWait: kind === 'update' || isDelivery(kind), eventsOn: () => {
        const isOvertaken = version && this.overtakenVersions.has(version - 1)
        return [{ type: 'done', key, ...result, ...attempt, version: isOvertaken ? version - 1 : version }]
      } }
    }
    const { reason, content, gone, limited, mayHaveArrived, accepted = [], refused = [] } = outcome
    const endAt = deliveriesEndAt(this.storedSubmission, policy)
    // While a receiver rests, a refusal of our credentials is not about this submission.
    const isOutage = outcome.outage && this.outbox.rests.isResting(kind, this.storedSubmission)
    const failure = { ...outcome, permanent: outcome.permanent && !isOutage }
    const now = runtime.now()
    const patientAt = retryAt(work, failure, policy, { now, random: runtime.random(), endAt })
    // The place in the queue is kept, and this is the next trial.
    const nextAttemptAt = patientAt !== null && isOutage ? Math.min(patientAt, now + trialPauseMs(policy)) : patientAt
    const room = roomOfWork(work, this.storedSubmission.cards, board)
    log.warn('work.failed', {
      submission: this.id, work: kind, room, attempt: work.attempts + 1, reason, again: nextAttemptAt !== null,
    })
    const isRefused = kind === 'post' && content
    const events: LifecycleEvent[] = [
      {
        type: 'failed', key, room, reason, retryAt: nextAttemptAt, refused: isRefused, gone, limited, mayHaveArrived,
        ...isSent(work) && { endAt, isTold: this.context.tellsFailures },
        ...attempt, ...accepted.length > 0 && { partial: { to: accepted, refused } },
      },
    ]
    const card = kind === 'update' && gone && nextAttemptAt === null ? work.card : undefined
    if (card) events.push({ type: 'card-deleted', card, room: missingIn(this.storedSubmission, card, this.context) })
    return { canWait: false, eventsOn: () => events }
  }

  private async write(): Promise<void> {
    const { runtime } = this.context
    // Results that arrive together become one write.
    await runtime.turn()
    if (this.reports.length === 0) return
    if (this.reports.every(({ canWait }) => canWait)) await runtime.within(Promise.all(this.attempts), BATCH_WINDOW_MS)
    const { storedSubmission } = this
    const reports = this.reports.splice(0)
    this.isWriting = true
    const result = await this.outbox.record(this.id, (currentSubmission) => {
      if (currentSubmission.version !== storedSubmission.version) this.overtakenVersions.add(storedSubmission.version)
      return reports.flatMap(({ eventsOn }) => eventsOn(currentSubmission))
    }, storedSubmission)
    this.isWriting = false
    const [submission, addedWork] = result && !('refused' in result)
      ? [result.submission, result.added]
      : [storedSubmission, []]
    this.storedSubmission = submission
    const isReopened = storedSubmission.state !== 'open' && submission.state === 'open'
    // Include cards that became due for posting while the submission was decided.
    const missedPosts = submission.work.filter(item => (
      isReopened && item.kind === 'post' && item.dueAt <= runtime.now() && !addedWork.includes(item)
    ))
    const work = [...addedWork, ...missedPosts, ...this.waitingEdits.splice(0)]
    // Not awaited: the new work writes its own results after this write.
    if (work.length > 0) runtime.background(this.start(work))
  }

  /**
   * Returns the submission for cards: the stored one and, after all deliveries, unstored results; null during writes.
   */
  private visibleSubmission(): Submission | null {
    const { runtime, policy: { leaseMs }, cardDataMs } = this.context
    const { storedSubmission } = this
    if (this.isWriting) return null
    if (this.deliveriesSettled) return storedSubmission
    const events = this.reports.flatMap(({ eventsOn }) => eventsOn(storedSubmission))
    const step = transitions(storedSubmission, events, runtime.now(), leaseMs, cardDataMs)
    if ('refused' in step) return storedSubmission
    // Show no buttons before the reopening is stored: they would not work.
    return step.next.state === 'open' && storedSubmission.state !== 'open' ? null : step.next
  }

  private async attempt(work: Work): Promise<WorkOutcome> {
    if (isDelivery(work.kind)) {
      const checkAt = await this.outbox.rests.waitsUntil(work, this.storedSubmission)
      if (checkAt !== null) return checkAt
    }
    if (work.kind !== 'update') return perform(work, this.storedSubmission, this.context, this.outbox.queue)
    return this.outbox.inTurn(work.card!, async () => {
      const shownSubmission = this.visibleSubmission()
      return shownSubmission ? perform(work, shownSubmission, this.context, this.outbox.queue) : 'waiting'
    })
  }
}

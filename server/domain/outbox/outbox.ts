import { KeyedMutex } from '../../../shared/utils/turns'
import { isComplete } from '../../ports/store'
import type { AuditLine, CardRef, DecisionOutcome, Submission, SubmissionRecord, Work } from '../../ports/submission'
import type { Applied, EventOf, EventsOn, LifecycleEvent } from '../lifecycle/events'
import { transitions } from '../lifecycle/lifecycle'
import type { CardQueue } from '../cards/card-queue'
import type { Context } from '../context'
import { isDelivery, isOver, traceOf } from '../lifecycle/record'
import { Rests, workFor } from './rests'
import { Run } from './run'

/**
 * Pauses between attempts to write while the store is unreachable, ms; after the last one, other processes retry when
 * the lease ends.
 */
const WRITE_RETRIES_MS = [200, 400, 800, 1600, 3200]

/** Does outstanding work and stores its results. */
export class Outbox {
  /** Lock for each card, so that its edits run one after the other. */
  private readonly edits = new KeyedMutex()
  readonly rests: Rests

  /** @param ended called when form data was erased, so that copies elsewhere can be erased, too */
  constructor(
    private readonly context: Context, readonly queue: CardQueue, private readonly ended?: (id: string) => void,
  ) {
    this.rests = new Rests(context, (id, receiver) => this.deliver(id, receiver))
  }

  /**
   * Applies events to a submission in one compare-and-set; retries with the newest version after a conflict.
   *
   * @param snapshot version to try first, which saves a read; a record is enough if nothing depends on the form data
   */
  async apply(
    id: string, events: readonly LifecycleEvent[] | EventsOn, snapshot?: SubmissionRecord | null,
  ): Promise<Applied> {
    const { store, files, forms, policy, cardDataMs, runtime, monitor, log } = this.context
    for (let current: SubmissionRecord | null = snapshot ?? await store.get(id); ; current = await store.get(id)) {
      if (!current) return { refused: 'gone' }
      // The store checks that the data of a record exists, and keeps it.
      const submission = isComplete(current) ? current : { ...current, data: {} }
      const eventList = typeof events === 'function' ? events(submission) : events
      const step = transitions(submission, eventList, runtime.now(), policy.leaseMs, cardDataMs)
      // The cached record may be stale: reload and retry.
      if ('refused' in step && submission !== current) continue
      if ('refused' in step) return step
      const { added } = step
      const nextSubmission = isOver(step.next) ? traceOf(step.next) : step.next
      const audit = auditLine(current, step.next, runtime.now())
      const storedSubmission = await store.replace(current, nextSubmission, audit)
      if (!storedSubmission) continue
      if (endsFiles(current, nextSubmission, forms)) files?.erase(id)
      if (nextSubmission.data === null && (submission.data !== null || nextSubmission.state !== current.state)) {
        this.ended?.(id)
      }
      if (audit) {
        monitor.ended(audit)
        log.info('submission.finished', { submission: id, outcome: audit.outcome })
      }
      return { submission: storedSubmission, added }
    }
  }

  /** Like `apply`, but retries for some seconds while the store is unreachable; resolves with null if all fail. */
  async record(...applyArgs: Parameters<Outbox['apply']>): Promise<Applied | null> {
    const { log, runtime } = this.context
    for (const pauseMs of [...WRITE_RETRIES_MS, null]) {
      try {
        return await this.apply(...applyArgs)
      }
      catch (error) {
        if (pauseMs === null) log.error('outbox.write-failed', { submission: applyArgs[0], error })
        else await runtime.wait(pauseMs)
      }
    }
    return null
  }

  /**
   * Does `work`; the results may start more work in the background. Resolves when the work is done or postponed and
   * this is stored. Never rejects.
   *
   * @param onTried called when the work is done or postponed, before this is stored
   */
  async run(submission: Submission, work: readonly Work[], onTried?: () => void): Promise<void> {
    await new Run(submission, this, this.context).start(work, onTried)
  }

  /**
   * Makes deliveries exactly when the time to undo the decision is over; a sweep would be late. Returns at once. If the
   * process ends before, a sweep makes them.
   */
  runOnTime({ id, work }: Submission): void {
    const { runtime } = this.context
    const deliveries = work.filter(({ kind }) => isDelivery(kind))
    const keys = deliveries.map(({ key }) => key)
    const timer = runtime.wait(Math.max(0, ...deliveries.map(({ dueAt }) => dueAt - runtime.now() + 1)))
    runtime.keepAlive(timer.then(() => runtime.background(this.runNow(id, { type: 'leased', keys }))))
  }

  /** Retries failed updates of a card now, because somebody clicked the outdated card. Never rejects. */
  refresh(submission: Submission, card: CardRef): Promise<void> {
    return this.runNow(submission.id, { type: 'leased', keys: [], card }, submission)
  }

  /** Posts the card that is next in this room, unless it is already posted. Never rejects. */
  post(id: string, room: string): Promise<void> {
    return this.runNow(id, { type: 'turn', room })
  }

  /** Makes the deliveries of a submission to this receiver now, if they are still to be made. Never rejects. */
  private async deliver(id: string, receiver: string): Promise<void> {
    const { store, log } = this.context
    const submission = await store.get(id).catch(error => void log.warn('outbox.late', { submission: id, error }))
    if (!submission) return
    const keys = workFor(receiver, submission, this.context).map(({ key }) => key)
    await this.runNow(id, { type: 'turn', keys }, submission)
  }

  private async runNow(id: string, event: EventOf<'leased' | 'turn'>, snapshot?: Submission): Promise<void> {
    const { log } = this.context
    try {
      const result = await this.apply(id, [event], snapshot)
      if (!('refused' in result)) await this.run(result.submission, result.added)
    }
    catch (error) {
      log.warn('outbox.late', { submission: id, error })
    }
  }

  /** Retries the cards that their platforms refused; resolves with their number. */
  async postAgain(id: string): Promise<number> {
    const result = await this.apply(id, [{ type: 'post-again' }])
    if ('refused' in result) return 0
    this.context.runtime.background(this.run(result.submission, result.added))
    return result.added.length
  }

  /** Runs edits of one card one after the other, so that an older edit never overwrites a newer one. */
  inTurn<T>({ platform, messageId }: CardRef, edit: () => Promise<T>): Promise<T> {
    return this.edits.run(`${platform}:${messageId}`, edit)
  }
}

/** True if files must be erased with the data. Without the data, assumes files if the form accepts any. */
function endsFiles(
  previousRecord: SubmissionRecord, nextSubmission: Submission, forms: Context['forms'],
): boolean {
  if (nextSubmission.data !== null) return false
  if (isComplete(previousRecord) && previousRecord.data !== null) return previousRecord.envelope?.files !== undefined
  const hasEnded = previousRecord.state !== nextSubmission.state || (isOver(nextSubmission) && !isOver(previousRecord))
  return hasEnded && forms.of(previousRecord.form).files !== undefined
}

/**
 * Returns the audit line for this change, if any: the submission ended (even if its cards are still outdated), its
 * deliveries were given up, or a reviewer undid, erased or released it. A quarantined form that expires gets no line,
 * because nobody decided it.
 */
function auditLine(previousRecord: SubmissionRecord, nextSubmission: Submission, now: number): AuditLine | undefined {
  const { id, form, receivedAt } = nextSubmission
  const reference = { id, ...form ? { form } : {} }
  if (nextSubmission.state === previousRecord.state || nextSubmission.state === 'settling') return undefined
  const lastEntry = nextSubmission.history.at(-1)
  if (lastEntry?.event === 'released' || lastEntry?.event === 'erased' || lastEntry?.event === 'revoked') {
    return { ...reference, outcome: lastEntry.event, at: lastEntry.at, reviewer: lastEntry.reviewer, receivedAt }
  }
  if (previousRecord.state === 'held') return undefined
  const decision = nextSubmission.decision ?? previousRecord.decision
  return {
    ...reference, outcome: outcomeOf(nextSubmission), at: nextSubmission.decision?.at ?? now,
    reviewer: decision?.reviewer ?? null,
    ...decision?.to && { to: decision.to }, receivedAt,
  }
}

function outcomeOf({ state, decision, edited }: Submission): DecisionOutcome {
  if (state === 'expired') return 'expired'
  if (!decision) return 'failed'
  return decision.action === 'spam' ? 'spam' : decision.edited ?? edited.length > 0 ? 'edited' : 'forwarded'
}

import type { Leaving } from '../../ports/card-queue'
import type { AuditLine, CardRef, DecisionOutcome, Submission, Work } from '../../ports/submission'
import type { Applied, LifecycleEvent, Refusal, Transition } from './events'
import { transition } from './lifecycle'
import { cardView } from './present'
import { Run, type OutboxPorts } from './run'

/** Does outstanding work and writes back what was done. */
export class Outbox {
  /** The last edit of each card that is being edited, by card. */
  private readonly edits = new Map<string, Promise<unknown>>()

  constructor(private readonly ports: OutboxPorts) {}

  /**
   * Applies events to a submission in one compare-and-set, again on its newest version when somebody was faster.
   *
   * @param known the version at hand, which saves reading it
   * @param leaving queues that the submission leaves in the same write; it stays in them when the events are refused
   */
  async apply(
    id: string, events: readonly LifecycleEvent[], known?: Submission | null, leaving: readonly Leaving[] = [],
  ): Promise<Applied> {
    const { store, runtime, policy, monitor, log } = this.ports
    for (let current = known ?? await store.get(id); ; current = await store.get(id)) {
      if (!current) return { refused: 'gone' }
      const step = foldEvents(current, events, runtime.now(), policy.leaseMs)
      if ('refused' in step) return step
      const { next, added, finished } = step
      const audit = auditLine(current, next, runtime.now())
      const stored = finished
        ? await store.remove(current, audit, leaving)
        : await store.replace(current, next, audit, leaving)
      if (!stored) continue
      if (audit) {
        monitor.ended(audit)
        log.info('submission.finished', { submission: id, outcome: audit.outcome })
      }
      return { submission: finished ? null : next, added }
    }
  }

  /** Does `work`; its results may start more in the background. Resolves when it was done or put off; never rejects. */
  async run(submission: Submission, work: readonly Work[]): Promise<void> {
    await new Run(submission, this, this.ports).start(work)
  }

  /** Somebody clicked a card that is behind: what failed to update it is tried now instead of later. */
  async refresh(submission: Submission, card: CardRef): Promise<void> {
    const isBehind = submission.work.some(
      ({ card: of, attempts }) => of?.messageId === card.messageId && of.platform === card.platform && attempts > 0,
    )
    if (!isBehind) return
    const { board, presentation } = this.ports
    await this.inTurn(card, () => board.update(card, cardView(submission, presentation)))
  }

  /** Tries the cards again that their platforms refused; resolves with how many they are. */
  async postAgain(id: string): Promise<number> {
    const applied = await this.apply(id, [{ type: 'post-again' }])
    if ('refused' in applied || !applied.submission) return 0
    this.ports.runtime.background(this.run(applied.submission, applied.added))
    return applied.added.length
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

/**
 * What a step says to the audit trail: that a submission came to its end, whether its cards follow yet or not, that its
 * deliveries were given up, or who judged what was held. What was held and nobody looked at in time leaves no line:
 * nothing was decided.
 */
function auditLine(previous: Submission, next: Submission, now: number): AuditLine | undefined {
  const { id, form, receivedAt } = next
  const of = { id, ...form ? { form } : {} }
  if (previous.state === 'held') {
    const last = next.history.at(-1)!
    return last.event === 'released' || last.event === 'deleted'
      ? { ...of, outcome: last.event, at: last.at, reviewer: last.reviewer, receivedAt }
      : undefined
  }
  if (next.state === previous.state || next.state === 'settling') return undefined
  const decision = next.decision ?? previous.decision
  return {
    ...of, outcome: outcomeOf(next), at: next.decision?.at ?? now, reviewer: decision?.reviewer ?? null, receivedAt,
  }
}

function outcomeOf({ state, decision, edited }: Submission): DecisionOutcome {
  if (state === 'expired') return 'expired'
  if (!decision) return 'failed'
  return decision.action === 'spam' ? 'spam' : decision.edited ?? edited.length > 0 ? 'edited' : 'forwarded'
}

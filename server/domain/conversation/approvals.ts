import type { ApprovalStore, KeptTurn, ProposedCall, ApprovalDecision, WaitingTurn } from '../../ports/approvals'
import type { Scope } from '../../ports/board'
import type { CardRef, Person } from '../../ports/submission'
import type { RichText } from '../../../shared/types/line'
import { plainText } from '../../../shared/utils/line'
import type { Context } from '../context'
import { isNamed } from '../people/people'
import { isSamePlace } from '../review/scope'

export interface ApprovalRules {
  /** People who may decide, besides the one who asked. */
  approvers: readonly string[]
  /** Returns a private message if a person may not approve a call about this submission; null if they may. */
  refusal: (submission: string, by: Person, place: Scope) => Promise<{ message: RichText } | null>
  /** Returns the calls of a turn with the content that new cards would show. */
  present: (turn: WaitingTurn) => Promise<readonly ProposedCall[]>
  /** Returns the place of a thread, for turns that do not store it. */
  placeOf: (threadId: string) => Scope
  ttlMs: number
  /** Max run of a turn that a process has taken, ms; after that it counts as abandoned. */
  leaseMs: number
}

/** Person who clicks a button, from the signed request. */
export interface Presser extends Person {
  /** A question can be decided only where it was asked; elsewhere it does not exist. */
  place: Scope
}

export type ApprovalResult
  = | { refused: 'gone' | 'not-allowed' | 'taken', message: string, kept: KeptTurn | null }
    /** `resume` is set only on the last decision of a turn; that caller resumes the turn. */
    | { call: ProposedCall, turn: WaitingTurn, verdict: ApprovalDecision, resume: KeptTurn | null }
    /** The submission has changed since its card: no call is made. `again` is a new turn that asks with new cards. */
    | { outdated: KeptTurn, again: KeptTurn }

/** Turns found by a sweep: expired or abandoned by a dead process. */
export interface Overdue {
  expired: readonly KeptTurn[]
  abandoned: readonly KeptTurn[]
}

/** Max turns in one sweep. */
const SWEEP_LIMIT = 20

/** Max waiting turns to read in a search by thread or submission. */
const SEARCH_LIMIT = 500

const ELSEWHERE = 'This was asked in another conversation, so nothing was decided. Decide it on its card there.'

const TURN_OVER = 'This is over: it was decided, or nobody decided in time.'

/** Decides who may approve the agent's actions, and when it resumes. A write runs at most once, even after a crash. */
export class Approvals {
  constructor(
    private readonly context: Context, private readonly store: ApprovalStore, private readonly rules: ApprovalRules,
  ) {}

  /** Stores a turn until its calls are decided. */
  async request(
    question: Pick<WaitingTurn, 'threadId' | 'place' | 'asker' | 'calls' | 'state'>,
  ): Promise<WaitingTurn> {
    const { store, rules: { ttlMs }, context: { runtime, log } } = this
    const turn = { ...question, id: runtime.uuid(), expiresAt: runtime.now() + ttlMs }
    await store.keep(turn)
    log.info('approval.requested', {
      turn: turn.id, calls: turn.calls.map(({ toolCallId }) => toolCallId), asker: turn.asker.id,
    })
    return turn
  }

  /** Stores the cards of a turn. Resolves with its current state, or null if the turn has ended and was deleted. */
  async attach({ id }: WaitingTurn, cards: readonly (CardRef | null)[]): Promise<KeptTurn | null> {
    await this.store.attach(id, cards)
    return this.store.get(id)
  }

  placeOf({ place, threadId }: WaitingTurn): Scope {
    return place ?? this.rules.placeOf(threadId)
  }

  /** @param position position of the call in its turn */
  async decide(
    id: string, position: number, approved: boolean, { place, ...approver }: Presser,
  ): Promise<ApprovalResult> {
    const { store, rules: { approvers, refusal, leaseMs }, context: { runtime, monitor, log } } = this
    const keptTurn = await store.get(id)
    const call = keptTurn?.turn.calls[position]
    const isElsewhere = keptTurn !== null && !isSamePlace(this.placeOf(keptTurn.turn), place)
    if (isElsewhere) {
      monitor.misplaced(place[0]?.split('/')[0] ?? 'unknown')
      monitor.incident('misplaced', approver.platform)
      log.warn('approval.misplaced', { turn: id, approver: approver.id, platform: approver.platform })
      return { refused: 'gone', message: ELSEWHERE, kept: null }
    }
    if (!keptTurn || !call) return { refused: 'gone', message: TURN_OVER, kept: null }
    const { turn, turn: { asker } } = keptTurn
    if (!isSamePerson(approver, asker) && !isNamed(approver, approvers)) {
      const message = `Only ${asker.name}${approvers.length > 0 ? ' or an approver' : ''} may decide this.`
      return { refused: 'not-allowed', message, kept: keptTurn }
    }
    const denial = approved && call.submission ? await refusal(call.submission, approver, place) : null
    if (denial) return { refused: 'not-allowed', message: plainText(denial.message), kept: keptTurn }
    const now = runtime.now()
    if (now >= turn.expiresAt) {
      return { refused: 'gone', message: 'Nobody decided this in time: it was not done.', kept: keptTurn }
    }
    const verdict: ApprovalDecision = { approved, by: approver, at: now }
    const renewed = keptTurn.verdicts[position] ? null : await this.renew(keptTurn, position, verdict)
    if (renewed) return renewed
    const result = await store.decide(id, position, verdict, now + leaseMs)
    switch (result.state) {
      case 'gone': return { refused: 'gone', message: TURN_OVER, kept: keptTurn }
      case 'decided': return {
        refused: 'taken', message: `Already decided: ${verdictLine(result.verdict)}.`,
        kept: {
          ...keptTurn,
          verdicts: keptTurn.verdicts.map((each, index) => index === position ? result.verdict : each),
        },
      }
    }
    log.info('approval.decided', {
      turn: id, call: call.toolCallId, approved, approver: approver.id, platform: approver.platform,
    })
    return { call, turn, verdict, resume: result.state === 'complete' ? result.kept : null }
  }

  /** Asks again if an approved call would look different on a new card; null if none would. */
  private async renew(keptTurn: KeptTurn, position: number, verdict: ApprovalDecision): Promise<ApprovalResult | null> {
    const { store, rules: { present, leaseMs }, context: { log } } = this
    const { turn } = keptTurn
    const verdicts = keptTurn.verdicts.with(position, verdict)
    if (!verdicts.some(each => each?.approved)) return null
    const calls = await present(turn)
    const outdatedFlags = calls.map((call, index) => verdicts[index]?.approved && hasChanged(turn.calls[index]!, call))
    if (!outdatedFlags.includes(true)) return null
    // Store the new turn before taking the old one, so that a crash in between loses no question.
    const newTurn = await this.request({ ...turn, calls })
    const outdatedVerdict: ApprovalDecision = { approved: false, by: verdict.by, outdated: true, at: verdict.at }
    const result = await store.decide(turn.id, null, outdatedVerdict, verdict.at + leaseMs)
    if (result.state !== 'complete') {
      await store.drop(newTurn.id)
      return { refused: 'gone', message: TURN_OVER, kept: keptTurn }
    }
    await store.drop(turn.id)
    const carriedVerdicts = result.kept.verdicts.with(position, verdict).map((each, index) => (
      outdatedFlags[index] || each?.outdated ? null : each
    ))
    for (const [index, each] of carriedVerdicts.entries()) {
      if (each) await store.decide(newTurn.id, index, each, newTurn.expiresAt)
    }
    log.info('approval.outdated', { turn: turn.id, again: newTurn.id, approver: verdict.by?.id })
    return {
      outdated: { ...result.kept, verdicts: carriedVerdicts.map(each => each ?? outdatedVerdict) },
      again: { turn: newTurn, verdicts: carriedVerdicts, cards: calls.map(() => null), taken: false },
    }
  }

  /** Withdraws the waiting turns of a thread; none of their calls is made. Resolves with these turns. */
  withdraw(threadId: string, person: Person): Promise<KeptTurn[]> {
    return this.withdrawAll(turn => turn.threadId === threadId, { by: person, stopped: true })
  }

  /** Withdraws turns that mention a submission without form data: their conversations may still quote the data. */
  forget(submission: string): Promise<KeptTurn[]> {
    return this.withdrawAll(turn => JSON.stringify(turn).includes(submission), { by: null, ended: true })
  }

  private async withdrawAll(
    isMatch: (turn: WaitingTurn) => boolean, cause: Pick<ApprovalDecision, 'by' | 'stopped' | 'ended'>,
  ): Promise<KeptTurn[]> {
    const { store, rules: { leaseMs }, context: { runtime, log } } = this
    const withdrawn: KeptTurn[] = []
    for (const id of await store.kept(SEARCH_LIMIT)) {
      const keptTurn = await store.get(id)
      if (!keptTurn || keptTurn.taken || !isMatch(keptTurn.turn)) continue
      const withdrawal: ApprovalDecision = { approved: false, ...cause, at: runtime.now() }
      const result = await store.decide(id, null, withdrawal, withdrawal.at + leaseMs)
      if (result.state !== 'complete') continue
      log.info('approval.withdrawn', { turn: id, by: cause.by?.id, platform: cause.by?.platform })
      // Withdraw approved calls, too: they were waiting for the other decisions.
      const verdicts = result.kept.verdicts.map(verdict => verdict?.approved ? withdrawal : verdict)
      withdrawn.push({ ...result.kept, verdicts })
      await store.drop(id)
    }
    return withdrawn
  }

  /** Deletes a turn after its last message was posted or its next question was asked. */
  finish(id: string): Promise<void> {
    return this.store.drop(id)
  }

  /**
   * Takes expired and abandoned turns. An abandoned turn is dropped, not repeated: nobody knows how far it got, and a
   * write must not happen twice.
   */
  async sweep(): Promise<Overdue> {
    const { store, rules: { leaseMs }, context: { runtime, log } } = this
    const expired: KeptTurn[] = []
    const abandoned: KeptTurn[] = []
    for (const id of await store.lease(leaseMs, SWEEP_LIMIT)) {
      const keptTurn = await store.get(id)
      if (!keptTurn || keptTurn.taken) {
        await store.drop(id)
        if (keptTurn) abandoned.push(keptTurn)
        log.warn('approval.abandoned', { turn: id })
        continue
      }
      const result = await store.decide(
        id, null, { approved: false, by: null, at: runtime.now() }, runtime.now() + leaseMs,
      )
      if (result.state !== 'complete') continue
      log.info('approval.expired', { turn: id })
      expired.push(result.kept)
    }
    return { expired, abandoned }
  }
}

/** True if a call no longer matches its card. Calls about decided submissions are not asked again. */
function hasChanged(shownCall: ProposedCall, currentCall: ProposedCall): boolean {
  const isDecided = currentCall.submission !== undefined && currentCall.content === undefined
  return !isDecided && (
    shownCall.content !== currentCall.content
    || JSON.stringify(shownCall.details) !== JSON.stringify(currentCall.details)
  )
}

/** True for the same account on one platform, and for accounts that PEOPLE links. */
function isSamePerson(person: Person, otherPerson: Person): boolean {
  const isLinked = person.person !== undefined && person.person === otherPerson.person
  return isLinked || (person.id === otherPerson.id && person.platform === otherPerson.platform)
}

/** Example: `Approved by Ada Lovelace on Slack`. */
export function verdictLine({ approved, by, stopped, outdated, ended }: ApprovalDecision): string {
  if (ended) return 'Not done: the submission is no longer open'
  if (outdated) return 'Not done: the submission changed, and a new card asks again'
  if (stopped && by) return `Not done: stopped by ${by.name} on ${by.platform}`
  return by ? `${approved ? 'Approved' : 'Denied'} by ${by.name} on ${by.platform}` : 'Not done: nobody decided in time'
}

import type { ApprovalStore, KeptTurn, ProposedCall, ApprovalDecision, WaitingTurn } from '../../ports/approvals'
import type { Scope } from '../../ports/board'
import type { Monitor } from '../../ports/monitor'
import type { Log, Runtime } from '../../ports/runtime'
import type { CardRef, Person } from '../../ports/submission'
import type { RichText } from '../../../shared/types/line'
import { plainText } from '../../../shared/utils/line'
import { isNamed } from '../people/people'
import { isSamePlace } from '../review/scope'

export interface ApprovalPorts {
  store: ApprovalStore
  /** People who may decide, besides the one who asked. */
  approvers: readonly string[]
  /** Returns why a person may not approve what a call does to a submission, in private words; null if they may. */
  refusal: (submission: string, by: Person, place: Scope) => Promise<{ message: RichText } | null>
  /** Returns the calls of a turn as new cards would show them. */
  present: (turn: WaitingTurn) => Promise<readonly ProposedCall[]>
  /** Returns the place of a thread, for turns that do not store it. */
  placeOf: (threadId: string) => Scope
  ttlMs: number
  /** Time that a taken turn may run before it counts as abandoned, ms. */
  leaseMs: number
  runtime: Runtime
  monitor: Monitor
  log: Log
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
    /** The form has changed since its card: nothing is done, and `again` is a new turn that asks with new cards. */
    | { outdated: KeptTurn, again: KeptTurn }

/** Turns found by a sweep: expired ones, and ones whose process has died. */
export interface Overdue {
  expired: readonly KeptTurn[]
  abandoned: readonly KeptTurn[]
}

/** Turns in one sweep. */
const SWEPT = 20

/** Most waiting turns to search for those of one thread, or about one submission. */
const WITHDRAWN = 500

const ELSEWHERE = 'This was asked in another conversation, so nothing was decided. Decide it on its card there.'

const OVER = 'This is over: it was decided, or nobody decided in time.'

/** Decides who may approve the agent's actions, and when it resumes. A write runs at most once, whatever happens. */
export class Approvals {
  constructor(private readonly ports: ApprovalPorts) {}

  /** Stores a turn until its calls are decided. */
  async request(asked: Pick<WaitingTurn, 'threadId' | 'place' | 'asker' | 'calls' | 'state'>): Promise<WaitingTurn> {
    const { store, runtime, ttlMs, log } = this.ports
    const turn = { ...asked, id: runtime.uuid(), expiresAt: runtime.now() + ttlMs }
    await store.keep(turn)
    log.info('approval.requested', {
      turn: turn.id, calls: turn.calls.map(({ toolCallId }) => toolCallId), asker: turn.asker.id,
    })
    return turn
  }

  /** Stores the cards of a turn; resolves with its present state, or null if it is over and forgotten. */
  async attach({ id }: WaitingTurn, cards: readonly (CardRef | null)[]): Promise<KeptTurn | null> {
    await this.ports.store.attach(id, cards)
    return this.ports.store.get(id)
  }

  placeOf({ place, threadId }: WaitingTurn): Scope {
    return place ?? this.ports.placeOf(threadId)
  }

  /** @param position position of the call in its turn */
  async decide(
    id: string, position: number, approved: boolean, { place, ...by }: Presser,
  ): Promise<ApprovalResult> {
    const { store, approvers, refusal, runtime, leaseMs, monitor, log } = this.ports
    const kept = await store.get(id)
    const call = kept?.turn.calls[position]
    const isElsewhere = kept !== null && !isSamePlace(this.placeOf(kept.turn), place)
    if (isElsewhere) {
      monitor.misplaced(place[0]?.split('/')[0] ?? 'unknown')
      monitor.incident('misplaced', by.platform)
      log.warn('approval.misplaced', { turn: id, approver: by.id, platform: by.platform })
      return { refused: 'gone', message: ELSEWHERE, kept: null }
    }
    if (!kept || !call) return { refused: 'gone', message: OVER, kept: null }
    const { turn, turn: { asker } } = kept
    if (!isSame(by, asker) && !isNamed(by, approvers)) {
      const message = `Only ${asker.name}${approvers.length > 0 ? ' or an approver' : ''} may decide this.`
      return { refused: 'not-allowed', message, kept }
    }
    const refused = approved && call.submission ? await refusal(call.submission, by, place) : null
    if (refused) return { refused: 'not-allowed', message: plainText(refused.message), kept }
    const now = runtime.now()
    if (now >= turn.expiresAt) {
      return { refused: 'gone', message: 'Nobody decided this in time: it was not done.', kept }
    }
    const verdict: ApprovalDecision = { approved, by, at: now }
    const renewed = kept.verdicts[position] ? null : await this.renew(kept, position, verdict)
    if (renewed) return renewed
    const recorded = await store.decide(id, position, verdict, now + leaseMs)
    switch (recorded.state) {
      case 'gone': return { refused: 'gone', message: OVER, kept }
      case 'decided': return {
        refused: 'taken', message: `Already decided: ${verdictLine(recorded.verdict)}.`,
        kept: { ...kept, verdicts: kept.verdicts.map((each, at) => at === position ? recorded.verdict : each) },
      }
    }
    log.info('approval.decided', { turn: id, call: call.toolCallId, approved, approver: by.id, platform: by.platform })
    return { call, turn, verdict, resume: recorded.state === 'complete' ? recorded.kept : null }
  }

  /** Asks again if an approved call would look different on a new card; null if none would. */
  private async renew(kept: KeptTurn, position: number, verdict: ApprovalDecision): Promise<ApprovalResult | null> {
    const { store, present, leaseMs, log } = this.ports
    const { turn } = kept
    const verdicts = kept.verdicts.with(position, verdict)
    if (!verdicts.some(each => each?.approved)) return null
    const calls = await present(turn)
    const isOutdated = calls.map((call, at) => verdicts[at]?.approved && hasChanged(turn.calls[at]!, call))
    if (!isOutdated.includes(true)) return null
    // Store the new turn before taking the old one, so that a crash in between loses no question.
    const next = await this.request({ ...turn, calls })
    const outdated: ApprovalDecision = { approved: false, by: verdict.by, outdated: true, at: verdict.at }
    const recorded = await store.decide(turn.id, null, outdated, verdict.at + leaseMs)
    if (recorded.state !== 'complete') {
      await store.drop(next.id)
      return { refused: 'gone', message: OVER, kept }
    }
    await store.drop(turn.id)
    const carried = recorded.kept.verdicts.with(position, verdict).map((each, at) => (
      isOutdated[at] || each?.outdated ? null : each
    ))
    for (const [at, each] of carried.entries()) if (each) await store.decide(next.id, at, each, next.expiresAt)
    log.info('approval.outdated', { turn: turn.id, again: next.id, approver: verdict.by?.id })
    return {
      outdated: { ...recorded.kept, verdicts: carried.map(each => each ?? outdated) },
      again: { turn: next, verdicts: carried, cards: calls.map(() => null), taken: false },
    }
  }

  /** Withdraws the waiting turns of a thread; none of their calls is made. Resolves with these turns. */
  withdraw(threadId: string, by: Person): Promise<KeptTurn[]> {
    return this.withdrawAll(turn => turn.threadId === threadId, { by, stopped: true })
  }

  /** Withdraws turns that mention a submission whose form data is gone: the conversation so far may quote it. */
  forget(submission: string): Promise<KeptTurn[]> {
    return this.withdrawAll(turn => JSON.stringify(turn).includes(submission), { by: null, ended: true })
  }

  private async withdrawAll(
    isMeant: (turn: WaitingTurn) => boolean, how: Pick<ApprovalDecision, 'by' | 'stopped' | 'ended'>,
  ): Promise<KeptTurn[]> {
    const { store, runtime, leaseMs, log } = this.ports
    const withdrawn: KeptTurn[] = []
    for (const id of await store.kept(WITHDRAWN)) {
      const kept = await store.get(id)
      if (!kept || kept.taken || !isMeant(kept.turn)) continue
      const stop: ApprovalDecision = { approved: false, ...how, at: runtime.now() }
      const recorded = await store.decide(id, null, stop, stop.at + leaseMs)
      if (recorded.state !== 'complete') continue
      log.info('approval.withdrawn', { turn: id, by: how.by?.id, platform: how.by?.platform })
      // An approved call was still waiting for the others.
      const verdicts = recorded.kept.verdicts.map(verdict => verdict?.approved ? stop : verdict)
      withdrawn.push({ ...recorded.kept, verdicts })
      await store.drop(id)
    }
    return withdrawn
  }

  /** Ends a turn, because its last part was posted or the next question was asked. */
  finish(id: string): Promise<void> {
    return this.ports.store.drop(id)
  }

  /**
   * Takes expired and abandoned turns. An abandoned turn is dropped, not repeated: nobody knows how far it got, and a
   * write must not happen twice.
   */
  async sweep(): Promise<Overdue> {
    const { store, runtime, leaseMs, log } = this.ports
    const expired: KeptTurn[] = []
    const abandoned: KeptTurn[] = []
    for (const id of await store.lease(leaseMs, SWEPT)) {
      const kept = await store.get(id)
      if (!kept || kept.taken) {
        await store.drop(id)
        if (kept) abandoned.push(kept)
        log.warn('approval.abandoned', { turn: id })
        continue
      }
      const recorded = await store.decide(
        id, null, { approved: false, by: null, at: runtime.now() }, runtime.now() + leaseMs,
      )
      if (recorded.state !== 'complete') continue
      log.info('approval.expired', { turn: id })
      expired.push(recorded.kept)
    }
    return { expired, abandoned }
  }
}

/** Tells whether a call no longer matches its card. Calls about decided submissions are not asked again. */
function hasChanged(shown: ProposedCall, now: ProposedCall): boolean {
  const isOver = now.submission !== undefined && now.content === undefined
  return !isOver && (shown.content !== now.content || JSON.stringify(shown.details) !== JSON.stringify(now.details))
}

/** True for the same account on one platform, and for accounts that PEOPLE links. */
function isSame(one: Person, other: Person): boolean {
  const isKnown = one.person !== undefined && one.person === other.person
  return isKnown || (one.id === other.id && one.platform === other.platform)
}

/** Example: `Approved by Ada Lovelace on Slack`. */
export function verdictLine({ approved, by, stopped, outdated, ended }: ApprovalDecision): string {
  if (ended) return 'Not done: the form it was about has ended'
  if (outdated) return 'Not done: it has changed since, and another card asks again'
  if (stopped && by) return `Not done: stopped by ${by.name} on ${by.platform}`
  return by ? `${approved ? 'Approved' : 'Denied'} by ${by.name} on ${by.platform}` : 'Not done: nobody decided in time'
}

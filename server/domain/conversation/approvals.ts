import type { ApprovalStore, KeptTurn, ProposedCall, Verdict, WaitingTurn } from '../../ports/approvals'
import type { Place } from '../../ports/board'
import type { Monitor } from '../../ports/monitor'
import type { Log, Runtime } from '../../ports/runtime'
import type { CardRef, Reviewer } from '../../ports/submission'
import { isSamePlace } from '../submission/place'

export interface ApprovalPorts {
  store: ApprovalStore
  /** Who may decide beside the one who asked, as the names of `Presser` have them. */
  approvers: readonly string[]
  /** Where a thread is, by its id, for turns that do not say it. */
  placeOf: (threadId: string) => Place
  ttlMs: number
  /** How long a turn that was taken may run before it counts as abandoned. */
  leaseMs: number
  runtime: Runtime
  monitor: Pick<Monitor, 'misplaced'>
  log: Log
}

/** Who presses a button, by the signed request. */
export interface Presser {
  reviewer: Reviewer
  /** `platform:user`, and where a platform has workspaces `platform:workspace:user`. */
  names: readonly string[]
  /** A question is decided where it was asked, and does not exist elsewhere. */
  place: Place
}

export type ApprovalResult
  = | { refused: 'gone' | 'not-allowed' | 'taken', message: string, kept: KeptTurn | null }
    /** `resume` is set for exactly one decision of a turn, the last: its maker goes on with the turn. */
    | { call: ProposedCall, turn: WaitingTurn, verdict: Verdict, resume: KeptTurn | null }

/** What a sweep found: turns whose time is up, and turns that were taken by a process that is no more. */
export interface Overdue {
  expired: readonly KeptTurn[]
  abandoned: readonly KeptTurn[]
}

/** Looked at in one sweep. */
const SWEPT = 20

/** Who may allow what the agent wants to do, and when it goes on. A write runs at most once, whatever happens. */
export class Approvals {
  constructor(private readonly ports: ApprovalPorts) {}

  /** Keeps a turn until its calls are decided. */
  async request(asked: Pick<WaitingTurn, 'threadId' | 'place' | 'asker' | 'calls' | 'state'>): Promise<WaitingTurn> {
    const { store, runtime, ttlMs, log } = this.ports
    const turn = { ...asked, id: runtime.uuid(), expiresAt: runtime.now() + ttlMs }
    await store.keep(turn)
    log.info('approval.requested', {
      turn: turn.id, calls: turn.calls.map(({ toolCallId }) => toolCallId), asker: turn.asker.id,
    })
    return turn
  }

  attach(turn: WaitingTurn, cards: readonly CardRef[]): Promise<void> {
    return this.ports.store.attach(turn.id, cards)
  }

  placeOf({ place, threadId }: WaitingTurn): Place {
    return place ?? this.ports.placeOf(threadId)
  }

  /** @param position of the call in its turn */
  async decide(
    id: string, position: number, approved: boolean, { reviewer: by, names, place }: Presser,
  ): Promise<ApprovalResult> {
    const { store, approvers, runtime, leaseMs, monitor, log } = this.ports
    const kept = await store.get(id)
    const call = kept?.turn.calls[position]
    const isElsewhere = kept !== null && !isSamePlace(this.placeOf(kept.turn), place)
    if (isElsewhere) {
      monitor.misplaced(place[0]?.split('/')[0] ?? 'unknown')
      log.warn('approval.misplaced', { turn: id, approver: by.id, platform: by.platform })
    }
    if (!kept || !call || isElsewhere) return {
      refused: 'gone', message: 'This is over: it was decided, or nobody decided in time.', kept: null,
    }
    const { turn } = kept
    const isAsker = by.id === turn.asker.id && by.platform === turn.asker.platform
    if (!isAsker && !approvers.some(approver => names.includes(approver))) return {
      refused: 'not-allowed',
      message: `Only ${turn.asker.name}${approvers.length > 0 ? ' or an approver' : ''} may decide this.`, kept,
    }
    const now = runtime.now()
    if (now >= turn.expiresAt) {
      return { refused: 'gone', message: 'Nobody decided this in time: it was not done.', kept }
    }
    const verdict: Verdict = { approved, by, at: now }
    const recorded = await store.decide(id, position, verdict, now + leaseMs)
    switch (recorded.state) {
      case 'gone': return { refused: 'gone', message: 'This is over: it was decided, or nobody decided in time.', kept }
      case 'decided': return {
        refused: 'taken', message: `Already decided: ${verdictLine(recorded.verdict)}.`,
        kept: { ...kept, verdicts: kept.verdicts.map((each, at) => at === position ? recorded.verdict : each) },
      }
    }
    log.info('approval.decided', { turn: id, call: call.toolCallId, approved, approver: by.id, platform: by.platform })
    return { call, turn, verdict, resume: recorded.state === 'complete' ? recorded.kept : null }
  }

  /** The turn is over: its last part was told, or the next question asked. */
  finish(id: string): Promise<void> {
    return this.ports.store.drop(id)
  }

  /**
   * Takes the turns whose time has come. An abandoned one is dropped, not repeated: nobody knows how far it came, and a
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

/** `Approved by Ada Lovelace on Slack`. */
export function verdictLine({ approved, by }: Verdict): string {
  return by ? `${approved ? 'Approved' : 'Denied'} by ${by.name} on ${by.platform}` : 'Not done: nobody decided in time'
}

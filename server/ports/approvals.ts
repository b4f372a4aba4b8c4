import type { Scope } from './board'
import type { CardRef, Field, Person } from './submission'

/** A tool call that the agent may make only when somebody approves it. */
export interface ProposedCall {
  /** The model's names for the question and the call. */
  approvalId: string
  toolCallId: string
  /** What would be done, as people read it. */
  title: string
  /** What it would be done with. Comes from a model, which may have it from a form: hostile until escaped. */
  details: readonly Field[]
  /** Id of the submission that it is about, if it is about one. */
  submission?: string
  /** Digest of the whole form data of that submission; absent when it cannot be decided. */
  content?: string
}

/** A turn of the agent that waits for people. Everything is here: whoever takes it up needs no memory of it. */
export interface WaitingTurn {
  id: string
  threadId: string
  /** Where it was asked; turns of versions that did not keep it have none. */
  place?: Scope
  asker: Person
  /** Epoch ms; nobody can decide from then on. */
  expiresAt: number
  calls: readonly ProposedCall[]
  /** The conversation so far, as text that only the agent reads. */
  state: string
}

/** What was decided about one call. */
export interface ApprovalDecision {
  approved: boolean
  /** Null when nobody decided in time. */
  by: Person | null
  /** Somebody stopped the agent before anybody decided. */
  stopped?: true
  /** The form had changed since its card, so another card asks. */
  outdated?: true
  /** The form data of its submission is gone. */
  ended?: true
  /** Epoch ms. */
  at: number
}

export interface KeptTurn {
  turn: WaitingTurn
  /** By position of the call; null while it is open. */
  verdicts: readonly (ApprovalDecision | null)[]
  /** By position of the call; null where there is no card yet. */
  cards: readonly (CardRef | null)[]
  /** Every call was decided and somebody was told to go on. */
  taken: boolean
}

/** A turn outlives its end by so much, ms, so that its cards can still be told of it. */
export const GRACE_MS = 60 * 60 * 1000

export type Recorded
  /** It was finished, has expired, or never was. */
  = | { state: 'gone' }
    /** Somebody was faster; what stands. */
    | { state: 'decided', verdict: ApprovalDecision }
    /** Others of the turn are still open. */
    | { state: 'recorded' }
    /** That was the last one. Exactly one caller is ever told so, and goes on with the turn. */
    | { state: 'complete', kept: KeptTurn }

/**
 * Keeps turns that wait for approval, shared by all replicas. Every method rejects when the store cannot be reached,
 * in less than 2 s.
 */
export interface ApprovalStore {
  /** Keeps a new turn until it is dropped, at most for an hour after it expired. */
  keep(turn: WaitingTurn): Promise<void>
  /** Notes where the cards of the calls are, by position. */
  attach(id: string, cards: readonly (CardRef | null)[]): Promise<void>
  get(id: string): Promise<KeptTurn | null>
  /** Ids of the turns that are kept, the first to expire first. */
  kept(limit: number): Promise<string[]>
  /**
   * Records the verdict on one call, or with null on all that have none; atomic, and never changes one that stands.
   *
   * @param until epoch ms; whoever completes the turn has until then before `lease` hands it out as abandoned
   */
  decide(id: string, call: number | null, verdict: ApprovalDecision, until: number): Promise<Recorded>
  /** Ids of turns that expired, or were taken and never dropped; nobody else is handed them for `leaseMs`. */
  lease(leaseMs: number, limit: number): Promise<string[]>
  /** Forgets a turn: it is over. */
  drop(id: string): Promise<void>
}

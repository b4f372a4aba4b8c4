import type { Scope } from './board'
import type { CardRef, Field, Person } from './submission'

/** A tool call that the agent may make only after a person approves it. */
export interface ProposedCall {
  /** Ids that the model gave to the approval request and to the call. */
  approvalId: string
  toolCallId: string
  /** Action that needs approval, in words for people. */
  title: string
  /** Arguments of the call. A model wrote them, perhaps copying form text: escape them. */
  details: readonly Field[]
  /** Id of the submission that the call is about, if any. */
  submission?: string
  /** Digest of all form data of that submission; absent if the submission cannot be decided. */
  content?: string
}

/** A turn of the agent that waits for approval. It is self-contained, so that any process can resume it. */
export interface WaitingTurn {
  id: string
  threadId: string
  /** Place where the question was asked; absent in turns of older versions. */
  place?: Scope
  asker: Person
  /** Deadline for the decision, epoch ms. */
  expiresAt: number
  calls: readonly ProposedCall[]
  /** Conversation so far, serialised; only the agent can read it. */
  state: string
}

/** Decision on one call. */
export interface ApprovalDecision {
  approved: boolean
  /** Null when nobody decided in time. */
  by: Person | null
  /** True if somebody stopped the agent before the decision. */
  stopped?: true
  /** True if the form changed after its card was posted; a new card then asks again. */
  outdated?: true
  /** True if the form data of the call's submission was erased. */
  ended?: true
  /** Epoch ms. */
  at: number
}

export interface JudgedTurn {
  turn: WaitingTurn
  /** Decision on each call, in order of the calls; null while undecided. */
  verdicts: readonly (ApprovalDecision | null)[]
}

export interface KeptTurn extends JudgedTurn {
  /** Card of each call, in order of the calls; null if the call has no card yet. */
  cards: readonly (CardRef | null)[]
  /** True once every call is decided and one caller has the task to resume the turn. */
  taken: boolean
}

/** Time for which an expired turn is kept to update its cards, ms */
export const GRACE_MS = 60 * 60 * 1000

export type Recorded
  /** The turn is finished, has expired or never existed. */
  = | { state: 'gone' }
    /** Somebody decided earlier; `verdict` is that decision. */
    | { state: 'decided', verdict: ApprovalDecision }
    /** Other calls of the turn are still undecided. */
    | { state: 'recorded' }
    /** This was the last decision. Exactly one caller gets this state and must resume the turn. */
    | { state: 'complete', kept: KeptTurn }

/**
 * Keeps turns that wait for approval, shared by all replicas. Every method rejects when the store cannot be reached,
 * in less than 2 s.
 */
export interface ApprovalStore {
  /** Keeps a new turn until it is dropped, at most for an hour after it expires. */
  keep(turn: WaitingTurn): Promise<void>
  /** Records the card of each call, in order of the calls. */
  attach(id: string, cards: readonly (CardRef | null)[]): Promise<void>
  get(id: string): Promise<KeptTurn | null>
  /** Ids of the stored turns, earliest expiry first. */
  kept(limit: number): Promise<string[]>
  /**
   * Records the decision on one call, or on all undecided calls if `call` is null. Atomic; never changes an earlier
   * decision.
   *
   * @param until deadline for the caller that completes the turn to drop it, epoch ms; after that, `lease` returns the
   * turn as abandoned
   */
  decide(id: string, call: number | null, verdict: ApprovalDecision, until: number): Promise<Recorded>
  /**
   * Returns ids of expired turns, and of taken turns that were not dropped in time. No other caller gets them for
   * `leaseMs`.
   */
  lease(leaseMs: number, limit: number): Promise<string[]>
  /** Deletes a finished turn. */
  drop(id: string): Promise<void>
}

/**
 * The queues of new cards, one before each room, shared by all replicas: cards go out one at a time, in order of
 * arrival, never faster than the room's rate. A submission enters with the write that stores it and leaves with the one
 * that records its card (`SubmissionStore`); what is here is for all other ways. Every method rejects when the store
 * cannot be reached, in less than 2 s.
 */
export interface CardQueueStore {
  /**
   * Enters the queue, or keeps its place there. 0 when the card may be posted right now: the queue was empty and its
   * gate open, and nobody else is handed it for `leaseMs`; else for how many intervals it has to wait.
   *
   * @param how `first`: before all others, because it had its turn already and failed
   */
  enter(pace: Pace, id: string, how: { leaseMs: number, first?: boolean }): Promise<number>
  /**
   * The first whose turn it is, which nobody else is handed for `leaseMs` and which closes the gate for the interval;
   * or how long to wait before asking again.
   */
  take(pace: Pace, leaseMs: number): Promise<Taken>
  leave(id: string, leaving: readonly Leaving[]): Promise<void>
  /** Opens the gate before its time. */
  reopen(room: string): Promise<void>
  /** How many wait. */
  length(room: string): Promise<number>
  /** True for the first who asks since the notice was last forgotten, or in 24 hours: a room is told of it once. */
  takeNotice(room: string, about: Notice): Promise<boolean>
  forgetNotice(room: string, about: Notice): Promise<void>
}

/** What is told once: that cards wait for their turn, that forms are held, that the room takes no cards. */
export type Notice = 'backlog' | 'held' | 'closed'

/** A notice that nobody took back is forgotten after this, ms, so that there is another one. */
export const NOTICE_TTL_MS = 24 * 60 * 60 * 1000

export interface Pace {
  room: string
  /** Least pause between two cards, ms. */
  intervalMs: number
}

/** Into which queues a new submission goes. */
export interface Entry {
  paces: readonly Pace[]
  /** For how long a card that may be posted right now is its maker's, ms. */
  leaseMs: number
}

/** A card was posted, or is not to be posted for now. */
export interface Leaving {
  room: string
  /** For how long nobody is let out after it, ms: the platform said so. 0 leaves the gate as it is. */
  pauseMs: number
}

/** `waitMs` is null when nobody waits. */
export type Taken = { id: string } | { id: null, waitMs: number | null }

/**
 * The line of new cards before each room, shared by all replicas: lets them out one at a time, in order
 * of arrival, never faster than its platform's rate.
 */
export interface CardLine {
  /**
   * Joins the line, or stays where it is. 0 when it may be posted right now: the line was empty and the gate open, and
   * nobody else is handed it for `leaseMs`; else for how many intervals it has to wait.
   *
   * @param how `first`: before all others, because it had its turn already and failed
   */
  enter(pace: Pace, id: string, how: { leaseMs: number, first?: boolean }): Promise<number>
  /** The first whose turn it is, for `leaseMs`, which closes the gate for the interval; or how long to wait before asking again. */
  take(pace: Pace, leaseMs: number): Promise<Taken>
  /** Posted, or not to be posted for now. */
  leave(room: string, id: string): Promise<void>
  /** Nobody is let out for so long, ms: the platform said so. */
  close(room: string, ms: number): Promise<void>
  /** How many wait. */
  length(room: string): Promise<number>
  /** True for the first who asks since the line was last `forgetNotice`d: the backlog is announced once. */
  takeNotice(room: string): Promise<boolean>
  forgetNotice(room: string): Promise<void>
}

export interface Pace {
  room: string
  /** Least pause between two cards, ms. */
  intervalMs: number
}

/** `waitMs` is null when nobody waits. */
export type Taken = { id: string } | { id: null, waitMs: number | null }

/**
 * The line of new cards before each platform's channel, shared by all replicas: lets them out one at a time, in order
 * of arrival, never faster than the platform's rate.
 */
export interface CardLine {
  /**
   * Joins the line, or stays where it is. 0 when it may be posted right now: the line was empty and the gate open;
   * else for how many intervals it has to wait.
   *
   * @param until epoch ms; nobody else is handed it before
   */
  enter(turn: Turn, id: string, until: number): Promise<number>
  /** The first whose turn it is, which closes the gate for the interval; or how long to wait before asking again. */
  take(turn: Turn, until: number): Promise<Taken>
  /** Posted, or not to be posted any more. */
  leave(platform: string, id: string): Promise<void>
  /** Could not be posted: others may go first until then, epoch ms. */
  putOff(platform: string, id: string, until: number): Promise<void>
  /** Nobody is let out for so long, ms: the platform said so. */
  close(platform: string, ms: number): Promise<void>
  /** How many wait. */
  length(platform: string): Promise<number>
  /** True for the first who asks since the line was last `forgetNotice`d: the backlog is announced once. */
  takeNotice(platform: string): Promise<boolean>
  forgetNotice(platform: string): Promise<void>
}

export interface Turn {
  platform: string
  /** Epoch ms. */
  now: number
  /** Least pause between two cards, ms. */
  intervalMs: number
}

export type Taken = { id: string } | { id: null, waitMs: number | null }

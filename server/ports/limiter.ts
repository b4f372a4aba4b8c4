/**
 * Counts the acts of each client, over all processes that share a store. A time window starts with the client's first
 * act.
 */
export interface Limiter {
  /** Maximum acts of one client in a window. */
  readonly limit: number
  /**
   * Counts one act, or several. Resolves with 0 if the client is within the limit, otherwise with the time until its
   * window ends, ms. Rejects when the counts cannot be reached, in less than 2 s.
   */
  take(client: string, acts?: number): Promise<number>
}

/** Error for a client that has reached its limit; nothing was done. */
export class LimitReached extends Error {
  /**
   * @param waitMs time until the window ends, more than 0
   * @param megabytes the limit, if it is a limit of stored bytes
   */
  constructor(readonly waitMs: number, readonly megabytes?: number) {
    super('The limit is reached.')
  }
}

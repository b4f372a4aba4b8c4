/** Counts acts per client over all processes on one store. A window starts with the client's first act. */
export interface Limiter {
  /** Maximum acts of one client in a window. */
  readonly limit: number
  /**
   * Counts one act, or several. Resolves with 0 while the client is within the limit, otherwise with the ms until its
   * window ends. Rejects when the counts cannot be reached, in less than 2 s.
   */
  take(client: string, acts?: number): Promise<number>
}

/** Nothing was done, because the client has reached its limit. */
export class LimitReached extends Error {
  /**
   * @param waitMs until the window ends, more than 0
   * @param megabytes the limit, if it is a limit of stored bytes
   */
  constructor(readonly waitMs: number, readonly megabytes?: number) {
    super('The limit is reached.')
  }
}

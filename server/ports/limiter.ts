/** Counts what each client does, in windows that start with its first act, over all processes on one store. */
export interface Limiter {
  /** Acts that one client may do in a window. */
  readonly limit: number
  /**
   * Counts one act, or several. Resolves with 0 while the client is within the limit, otherwise with the ms until its
   * window ends.
   * Rejects when the counts cannot be reached, in less than 2 s.
   */
  take(client: string, acts?: number): Promise<number>
}

/** Nothing was done, because the client has used up its window. */
export class LimitReached extends Error {
  /**
   * @param waitMs until the window ends, more than 0
   * @param megabytes the limit, where it is one of what is stored
   */
  constructor(readonly waitMs: number, readonly megabytes?: number) {
    super('The limit is reached.')
  }
}

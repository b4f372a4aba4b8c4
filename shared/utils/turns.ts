/** Runs tasks with the same key one after another. */
export class KeyedMutex {
  private readonly lastTurns = new Map<string, Promise<unknown>>()

  run<T>(key: string, task: () => Promise<T>): Promise<T> {
    const turn = (this.lastTurns.get(key) ?? Promise.resolve()).then(task)
    const turnEnd: Promise<unknown> = turn.catch(() => { /* The caller handles it. */ }).finally(() => {
      if (this.lastTurns.get(key) === turnEnd) this.lastTurns.delete(key)
    })
    this.lastTurns.set(key, turnEnd)
    return turn
  }

  /** Resolves when all tasks started so far are finished. */
  async settled(): Promise<void> {
    await Promise.all(this.lastTurns.values())
  }
}

/** Starts on the first call and returns the same result to every caller; a failed start is retried on the next call. */
export function memoizeAsync<T, Args extends unknown[]>(
  start: (...args: Args) => Promise<T>,
): (...args: Args) => Promise<T> {
  let result: Promise<T> | undefined
  return (...args) => result ??= start(...args).catch((error) => {
    result = undefined
    throw error
  })
}

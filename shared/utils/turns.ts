/** Runs tasks with the same key one after another. */
export class KeyedMutex {
  private readonly last = new Map<string, Promise<unknown>>()

  run<T>(key: string, task: () => Promise<T>): Promise<T> {
    const turn = (this.last.get(key) ?? Promise.resolve()).then(task)
    const settled: Promise<unknown> = turn.catch(() => { /* The caller handles it. */ }).finally(() => {
      if (this.last.get(key) === settled) this.last.delete(key)
    })
    this.last.set(key, settled)
    return turn
  }

  /** Resolves when all tasks so far are finished. */
  async settled(): Promise<void> {
    await Promise.all(this.last.values())
  }
}

/** Starts on the first call and returns the same result to every caller; a failed start is retried on the next call. */
export function memoizeAsync<T, Args extends unknown[]>(
  start: (...args: Args) => Promise<T>,
): (...args: Args) => Promise<T> {
  let started: Promise<T> | undefined
  return (...args) => started ??= start(...args).catch((error) => {
    started = undefined
    throw error
  })
}

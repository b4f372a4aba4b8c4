/** Runs tasks of the same key one after the other. */
export class KeyedMutex {
  private readonly last = new Map<string, Promise<unknown>>()

  run<T>(key: string, task: () => Promise<T>): Promise<T> {
    const turn = (this.last.get(key) ?? Promise.resolve()).then(task)
    const settled: Promise<unknown> = turn.catch(() => { /* The caller has it. */ }).finally(() => {
      if (this.last.get(key) === settled) this.last.delete(key)
    })
    this.last.set(key, settled)
    return turn
  }

  /** Resolves once all tasks so far are over. */
  async settled(): Promise<void> {
    await Promise.all(this.last.values())
  }
}

/** Starts at the first call and hands everybody the same result; a failed start is tried again at the next. */
export function memoizeAsync<T, Args extends unknown[]>(
  start: (...args: Args) => Promise<T>,
): (...args: Args) => Promise<T> {
  let started: Promise<T> | undefined
  return (...args) => started ??= start(...args).catch((error) => {
    started = undefined
    throw error
  })
}

/**
 * Resolves with the result of `work`, or rejects with the error of `createError` after `ms`. The work itself is not
 * stopped.
 *
 * The timer runs in two halves. A process that was busy or frozen finds its timers due before it reads answers that
 * arrived long ago; the second half leaves time to read them.
 */
export function withTimeout<T>(ms: number, work: Promise<T>, createError: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    let timer = setTimeout(() => { timer = setTimeout(() => reject(createError()), ms / 2) }, ms / 2)
    void work.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

const TIME_UP = new Error('Late')

/** Same as `withTimeout`, but resolves with null when time is up. */
export function withinOrNull<T>(ms: number, work: Promise<T>): Promise<T | null> {
  return withTimeout(ms, work, () => TIME_UP).catch((error: unknown) => {
    if (error === TIME_UP) return null
    throw error
  })
}

/**
 * Resolves with the result of `act`, or rejects with the error `late` after `ms`. The work itself is not stopped.
 *
 * The timer runs in two halves. A process that was busy or frozen finds its timers due before it reads answers that
 * arrived long ago; the second half leaves time to read them.
 */
export function withTimeout<T>(ms: number, act: Promise<T>, late: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    let timer = setTimeout(() => { timer = setTimeout(() => reject(late()), ms / 2) }, ms / 2)
    void act.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

const LATE = new Error('Late')

/** Same as `withTimeout`, but resolves with null when time is up. */
export function withinOrNull<T>(ms: number, act: Promise<T>): Promise<T | null> {
  return withTimeout(ms, act, () => LATE).catch((error: unknown) => {
    if (error === LATE) return null
    throw error
  })
}

/**
 * What `act` resolves with, or the error `late` when that takes longer than `ms`. What was begun goes on.
 *
 * It waits in two halves: a process that was busy, or frozen, all the while finds its timers due before it reads what
 * has long been answered. Then the second half is for reading it.
 */
export function withTimeout<T>(ms: number, act: Promise<T>, late: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    let timer = setTimeout(() => { timer = setTimeout(() => reject(late()), ms / 2) }, ms / 2)
    void act.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

const LATE = new Error('Late')

/** The same, with null for what took longer. */
export function withinOrNull<T>(ms: number, act: Promise<T>): Promise<T | null> {
  return withTimeout(ms, act, () => LATE).catch((error: unknown) => {
    if (error === LATE) return null
    throw error
  })
}

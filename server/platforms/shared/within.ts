import { setTimeout as wait } from 'node:timers/promises'

/** The result, or a `TimeoutError` when it takes longer than `ms`. What was begun goes on. */
export async function within<T>(ms: number, act: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(Object.assign(new Error(`No answer in ${ms / 1000} s.`), { name: 'TimeoutError' })), ms,
    )
  })
  return Promise.race([act, late]).finally(() => clearTimeout(timer))
}

/** Waits; an abort ends it early, without an error. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  await wait(ms, undefined, { signal }).catch(() => {})
}

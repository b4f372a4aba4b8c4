import { setTimeout as wait } from 'node:timers/promises'
import { within } from '../../../shared/utils/time'

/** The result, or a `TimeoutError` when it takes longer than `ms`. What was begun goes on. */
export function answeredWithin<T>(ms: number, act: Promise<T>): Promise<T> {
  return within(ms, act, () => Object.assign(new Error(`No answer in ${ms / 1000} s.`), { name: 'TimeoutError' }))
}

/** Waits; an abort ends it early, without an error. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  await wait(ms, undefined, { signal }).catch(() => {})
}

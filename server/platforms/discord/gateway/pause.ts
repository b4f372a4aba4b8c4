import { setTimeout as wait } from 'node:timers/promises'

/** Waits; an abort ends it early, without an error. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  await wait(ms, undefined, { signal }).catch(() => {})
}

import { setTimeout as wait } from 'node:timers/promises'
import { withTimeout } from '../../../shared/utils/time'
import type { FailedOutcome } from './answers'

/** Longest pause, ms; no platform but Telegram asks for more. */
const LONGEST_PAUSE_MS = 30_000
const ATTEMPTS = 5

/**
 * Retries a message of a conversation after the pause that the platform asks for: nothing else would send it again.
 *
 * @param longestMs longest pause that is waited for, ms
 */
export async function withRetryAfter<T>(send: () => Promise<T>, longestMs = LONGEST_PAUSE_MS): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await send()
    }
    catch (error) {
      const pauseMs = readPauseMs(error as RefusedError, attempt)
      if (attempt === ATTEMPTS || pauseMs > longestMs) throw error
      await pause(pauseMs)
    }
  }
}

/** Our own error, or one of the SDK's adapters or of Slack's client, which give the pause in seconds or not at all. */
interface RefusedError extends Error {
  refusal?: FailedOutcome
  retryAfter?: number
}

function readPauseMs({ name, refusal, retryAfter }: RefusedError, attempt: number): number {
  const isLimited = name === 'AdapterRateLimitError' || retryAfter !== undefined
  return refusal || !isLimited ? refusal?.retryAfterMs ?? Infinity : (retryAfter ?? attempt) * 1000
}

/** Resolves with the result, or throws a `TimeoutError` after `ms`. The call itself is not aborted. */
export function answeredWithin<T>(ms: number, call: Promise<T>): Promise<T> {
  return withTimeout(ms, call, () => Object.assign(new Error(`No answer in ${ms / 1000} s.`), { name: 'TimeoutError' }))
}

/** Waits; an abort signal ends the wait early, without an error. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  await wait(ms, undefined, { signal }).catch(() => {})
}

import { setTimeout as wait } from 'node:timers/promises'
import { withTimeout } from '../../../shared/utils/time'
import type { FailedOutcome } from './answers'

/** Longer than any platform but Telegram asks for, ms. */
const LONGEST_PAUSE_MS = 30_000
const ATTEMPTS = 5

/**
 * What is said in a conversation nobody would say again: it waits for as long as the platform asks.
 *
 * @param longestMs the longest pause that is waited for
 */
export async function withRetryAfter<T>(say: () => Promise<T>, longestMs = LONGEST_PAUSE_MS): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await say()
    }
    catch (error) {
      const pauseMs = askedPause(error as Refused, attempt)
      if (attempt === ATTEMPTS || pauseMs > longestMs) throw error
      await pause(pauseMs)
    }
  }
}

/** An error of ours, or of the SDK's adapters and Slack's client, which know seconds, and not always how many. */
interface Refused extends Error {
  refusal?: FailedOutcome
  retryAfter?: number
}

function askedPause({ name, refusal, retryAfter }: Refused, attempt: number): number {
  const isLimited = name === 'AdapterRateLimitError' || retryAfter !== undefined
  return refusal || !isLimited ? refusal?.retryAfterMs ?? Infinity : (retryAfter ?? attempt) * 1000
}

/** The result, or a `TimeoutError` when it takes longer than `ms`. What was begun goes on. */
export function answeredWithin<T>(ms: number, act: Promise<T>): Promise<T> {
  return withTimeout(ms, act, () => Object.assign(new Error(`No answer in ${ms / 1000} s.`), { name: 'TimeoutError' }))
}

/** Waits; an abort ends it early, without an error. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  await wait(ms, undefined, { signal }).catch(() => {})
}

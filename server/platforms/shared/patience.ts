import type { Failure } from './answers'
import { pause } from './within'

/** Longest pause that is waited for, ms. */
const LONGEST_PAUSE_MS = 30_000
const ATTEMPTS = 5

/** What is said in a conversation nobody would say again: it waits for as long as the platform asks. */
export async function patiently<T>(say: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await say()
    }
    catch (error) {
      const pauseMs = askedPause(error as Refused, attempt)
      if (attempt === ATTEMPTS || pauseMs > LONGEST_PAUSE_MS) throw error
      await pause(pauseMs)
    }
  }
}

/** An error of ours, or of the SDK's adapters, which know seconds, and not always how many. */
interface Refused extends Error {
  refusal?: Failure
  retryAfter?: number
}

function askedPause({ name, refusal, retryAfter }: Refused, attempt: number): number {
  if (refusal || name !== 'AdapterRateLimitError') return refusal?.retryAfterMs ?? Infinity
  return (retryAfter ?? attempt) * 1000
}

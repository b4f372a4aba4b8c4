import type { Work } from '../../ports/submission'

export interface RetryPolicy {
  /** Delay before the second attempt, ms; it triples from there. */
  baseMs: number
  /** How long whoever starts a piece of work has before others may take it, ms. */
  leaseMs: number
}

/** No pause is longer: what waits for an outage to end should go out soon after it. */
const MAX_DELAY_MS = 10 * 60 * 1000

/** However far off a vendor says: work is not put out of reach. */
const MAX_RETRY_AFTER_MS = 60 * 60 * 1000

/** Attempts at an email, an endpoint or a card update before it is given up: about 45 minutes at the default base. */
const MAX_ATTEMPTS = 9

/**
 * When a failed piece of work is tried again, or null to give it up. Posting a card is never given up:
 * without its card nobody would decide the submission.
 */
export function retryAt(work: Work, outcome: { permanent: boolean, retryAfterMs?: number }, now: number, random: number, policy: RetryPolicy): number | null {
  const exhausted = outcome.permanent || work.attempts + 1 >= MAX_ATTEMPTS
  if (exhausted && work.kind !== 'post') return null
  const ceiling = Math.min(policy.baseMs * 3 ** work.attempts, MAX_DELAY_MS)
  // Half fixed, half random: replicas and submissions that failed together do not come back together.
  const delay = ceiling / 2 + random * ceiling / 2
  return now + Math.max(delay, Math.min(outcome.retryAfterMs ?? 0, MAX_RETRY_AFTER_MS))
}

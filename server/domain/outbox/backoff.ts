import type { Work } from '../../ports/submission'
import type { RetryPolicy } from '../context'

/** Max delay between attempts, ms: after an outage, waiting work should soon be tried. */
const MAX_DELAY_MS = 10 * 60 * 1000

/** Max delay that a vendor may ask for, ms; longer delays are cut to it, so that work is never stuck. */
const MAX_RETRY_AFTER_MS = 60 * 60 * 1000

/** Max delay between attempts to update a card, ms; longer because these attempts go on for a week. */
const MAX_UPDATE_DELAY_MS = 60 * 60 * 1000

/**
 * Max attempts at an email, an endpoint or a reminder: 20 to 40 minutes at the default base delay. Rate limits never
 * end the retries.
 */
const MAX_ATTEMPTS = 9

/**
 * Consecutive reports that a card is missing before it counts as deleted: 5 to 10 minutes at the default base delay.
 * Teams sometimes does not find cards that exist (https://github.com/MicrosoftDocs/msteams-docs/issues/6139).
 */
const MAX_MISSED = 6

/** Pause before retrying a card with refused content, ms: the content or the platform must change first. */
const REFUSED_RETRY_MS = 6 * 60 * 60 * 1000

/** Pause before reposting a card that its platform accepted but did not deliver, ms. */
export const UNDELIVERED_PAUSE_MS = MAX_DELAY_MS

/** Pause of a room that refuses every card, in multiples of the base delay: 1 min at the default base. */
const ROOM_PAUSE = 12

/** Parts of a failed outcome that determine the next attempt. */
interface FailedAttempt {
  permanent: boolean
  content?: boolean
  gone?: boolean
  limited?: boolean
  retryAfterMs?: number
}

/** Time in which a room gets no new cards, ms: as its platform asks, or a fixed time if it refuses every card. */
export function roomPauseMs({ permanent, content, retryAfterMs }: FailedAttempt, { baseMs }: RetryPolicy): number {
  return retryAfterMs === undefined ? (permanent && !content ? ROOM_PAUSE * baseMs : 0) : vendorPauseMs(retryAfterMs)
}

/** Pause that a vendor asks for, limited to a sensible range, ms. */
export function vendorPauseMs(retryAfterMs = 0): number {
  return Math.min(Math.max(retryAfterMs, 0), MAX_RETRY_AFTER_MS)
}

/**
 * Returns when to retry failed work, epoch ms, or null to give it up. Posting a card is never given up: without a card
 * nobody would decide the submission. Updates of an existing card are not given up here either: its buttons would stay,
 * and the cause of a refusal (a token, a permission) may be fixed. The lifecycle ends them.
 */
export function retryAt(
  work: Work, outcome: FailedAttempt, now: number, random: number, policy: RetryPolicy,
): number | null {
  if (isGivenUp(work, outcome)) return null
  if (work.kind === 'post' && outcome.content) return now + REFUSED_RETRY_MS
  const failedAttempts = outcome.gone ? work.missed ?? 0 : work.attempts
  const ceilingMs = Math.min(
    policy.baseMs * 3 ** failedAttempts, work.kind === 'update' ? MAX_UPDATE_DELAY_MS : MAX_DELAY_MS,
  )
  // Half of the delay is random, so that work that failed at the same time is not retried at the same time.
  const delayMs = ceilingMs / 2 + random * ceilingMs / 2
  return now + Math.max(delayMs, vendorPauseMs(outcome.retryAfterMs))
}

function isGivenUp({ kind, attempts, missed = 0 }: Work, { permanent, gone, limited }: FailedAttempt): boolean {
  if (kind === 'post') return false
  if (gone) return missed + 1 >= MAX_MISSED
  return kind !== 'update' && (permanent || (!limited && attempts + 1 >= MAX_ATTEMPTS))
}

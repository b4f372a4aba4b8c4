import type { Work } from '../../ports/submission'
import type { RetryPolicy } from '../context'

/** Longest delay between attempts, ms: after an outage, waiting work should go out soon. */
const MAX_DELAY_MS = 10 * 60 * 1000

/** Longest delay that a vendor may ask for, ms; a longer one is cut, so that work is never put out of reach. */
const MAX_RETRY_AFTER_MS = 60 * 60 * 1000

/** Longest delay between attempts to update a card, ms. It is longer because a card is tried for a week. */
const MAX_UPDATE_DELAY_MS = 60 * 60 * 1000

/**
 * Attempts at an email, an endpoint or a reminder before it is given up: 20 to 40 minutes at the default base. Running
 * into a rate limit never ends the retries.
 */
const MAX_ATTEMPTS = 9

/**
 * Times in a row that a platform must report a card as missing before we believe it: 5 to 10 minutes at the default
 * base. Teams sometimes does not find cards that exist (https://github.com/MicrosoftDocs/msteams-docs/issues/6139).
 */
const MAX_MISSED = 6

/** Pause before retrying a card whose content was refused, ms: something has to change first. */
const REFUSED_RETRY_MS = 6 * 60 * 60 * 1000

/** Pause before reposting a card that its platform accepted but did not deliver, ms. */
export const UNDELIVERED_PAUSE_MS = MAX_DELAY_MS

/** Pause of a room that refuses every card, in multiples of the base delay: 1 min at the default base. */
const ROOM_PAUSE = 12

/** Parts of a failed outcome that decide about the next attempt. */
interface FailedAttempt {
  permanent: boolean
  content?: boolean
  gone?: boolean
  limited?: boolean
  retryAfterMs?: number
}

/** Pause of a room without new cards, ms: as its platform asks, or a fixed one if it refuses every card. */
export function roomPauseMs({ permanent, content, retryAfterMs }: FailedAttempt, { baseMs }: RetryPolicy): number {
  return retryAfterMs === undefined ? (permanent && !content ? ROOM_PAUSE * baseMs : 0) : vendorPauseMs(retryAfterMs)
}

/** Pause that a vendor asks for, limited to a sensible range, ms. */
export function vendorPauseMs(retryAfterMs = 0): number {
  return Math.min(Math.max(retryAfterMs, 0), MAX_RETRY_AFTER_MS)
}

/**
 * Returns when to retry failed work, epoch ms, or null to give it up. Posting a card is never given up: without a card
 * nobody would decide the submission. Updating a card that still exists is not given up either: its buttons would stay
 * for ever, and a refusal (a token, a permission) may get fixed. The lifecycle decides when updates end.
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
  // Half fixed, half random, so that replicas and submissions that failed together do not retry together.
  const delayMs = ceilingMs / 2 + random * ceilingMs / 2
  return now + Math.max(delayMs, vendorPauseMs(outcome.retryAfterMs))
}

function isGivenUp({ kind, attempts, missed = 0 }: Work, { permanent, gone, limited }: FailedAttempt): boolean {
  if (kind === 'post') return false
  if (gone) return missed + 1 >= MAX_MISSED
  return kind !== 'update' && (permanent || (!limited && attempts + 1 >= MAX_ATTEMPTS))
}

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

/** A card that cannot be updated for long is tried this often, because it is tried for a week. */
const MAX_UPDATE_DELAY_MS = 60 * 60 * 1000

/**
 * Attempts at an email, an endpoint or a reminder before it is given up: 20 to 40 minutes at the default base. One that
 * only came too soon ends nothing.
 */
const MAX_ATTEMPTS = 9

/**
 * Times in a row that a platform does not find a card before that is believed: 5 to 10 minutes at the default base.
 * Now and then Teams does not find cards that are there (https://github.com/MicrosoftDocs/msteams-docs/issues/6139).
 */
const MAX_MISSED = 6

/** Pause, ms, before a card is tried again that was refused for what it says: something has to change first. */
const REFUSED_RETRY_MS = 6 * 60 * 60 * 1000

/** Pause, ms, before a card is posted again that its platform took and did not deliver. */
export const UNDELIVERED_PAUSE_MS = MAX_DELAY_MS

/** A room that refuses whatever is posted is left alone for so many times the base delay: 1 min at the default base. */
const ROOM_PAUSE = 12

/** What an attempt that failed says about the next one. */
interface Failed {
  permanent: boolean
  content?: boolean
  gone?: boolean
  limited?: boolean
  retryAfterMs?: number
}

/** How long no card goes to a room, ms: as its platform says, and a while when it refuses whatever is posted. */
export function roomPauseMs({ permanent, content, retryAfterMs }: Failed, { baseMs }: RetryPolicy): number {
  return retryAfterMs === undefined ? (permanent && !content ? ROOM_PAUSE * baseMs : 0) : vendorPauseMs(retryAfterMs)
}

/** What a vendor asks for, within reason, ms. */
export function vendorPauseMs(retryAfterMs = 0): number {
  return Math.min(Math.max(retryAfterMs, 0), MAX_RETRY_AFTER_MS)
}

/**
 * When a failed piece of work is tried again, or null to give it up. Posting a card is never given up: without its card
 * nobody would decide the submission. Neither is updating one that is still there: it would offer its buttons for ever,
 * and what the platform refuses (a token, a permission) may be mended. The lifecycle says when that ends.
 */
export function retryAt(work: Work, outcome: Failed, now: number, random: number, policy: RetryPolicy): number | null {
  if (isGivenUp(work, outcome)) return null
  if (work.kind === 'post' && outcome.content) return now + REFUSED_RETRY_MS
  const tries = outcome.gone ? work.missed ?? 0 : work.attempts
  const ceiling = Math.min(
    policy.baseMs * 3 ** tries, work.kind === 'update' ? MAX_UPDATE_DELAY_MS : MAX_DELAY_MS,
  )
  // Half fixed, half random: replicas and submissions that failed together do not come back together.
  const delay = ceiling / 2 + random * ceiling / 2
  return now + Math.max(delay, vendorPauseMs(outcome.retryAfterMs))
}

function isGivenUp({ kind, attempts, missed = 0 }: Work, { permanent, gone, limited }: Failed): boolean {
  if (kind === 'post') return false
  if (gone) return missed + 1 >= MAX_MISSED
  return kind !== 'update' && (permanent || (!limited && attempts + 1 >= MAX_ATTEMPTS))
}

import { DELIVERY_TTL_MS } from '../../../shared/lifetimes'
import { FILE_LOST } from '../../ports/delivery'
import type { SubmissionRecord, Work } from '../../ports/submission'
import type { RetryPolicy } from '../context'
import { isDelivery } from '../lifecycle/record'

const HOUR_MS = 60 * 60 * 1000

/** Max delay between attempts, ms: after an outage, waiting work should soon be tried. */
const MAX_DELAY_MS = 10 * 60 * 1000

/** Max delay that a vendor may ask for, ms; longer delays are cut to it, so that work is never stuck. */
const MAX_RETRY_AFTER_MS = HOUR_MS

/** Max delay between attempts at a delivery, or to update a card, ms; longer because these go on for days. */
const MAX_LONG_DELAY_MS = HOUR_MS

/** Max delay that the receiver of a delivery may ask for, ms. */
export const MAX_DELIVERY_PAUSE_MS = 24 * HOUR_MS

/** Max attempts at a reply to a card, or at a confirmation: 20 to 40 minutes at the default base delay. */
const MAX_ATTEMPTS = 9

/**
 * Consecutive reports that a card is missing before it counts as deleted: 5 to 10 minutes at the default base delay.
 * Teams sometimes does not find cards that exist (https://github.com/MicrosoftDocs/msteams-docs/issues/6139).
 */
const MAX_MISSED = 6

/** Pause before retrying a card with refused content, ms: the content or the platform must change first. */
const REFUSED_RETRY_MS = 6 * HOUR_MS

/** Pause before reposting a card that its platform accepted but did not deliver, ms. */
export const UNDELIVERED_PAUSE_MS = MAX_DELAY_MS

/** Pause of a room that refuses every card, in multiples of the base delay: 1 min at the default base. */
const ROOM_PAUSE = 12

/** Parts of a failed outcome that determine the next attempt. */
interface FailedAttempt {
  permanent: boolean
  reason?: string
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
export function vendorPauseMs(retryAfterMs = 0, maxMs = MAX_RETRY_AFTER_MS): number {
  return Math.min(Math.max(retryAfterMs, 0), maxMs)
}

/** Time after which the deliveries of a decision are given up, epoch ms. */
export function deliveriesEndAt(
  { receivedAt, decision, erased }: SubmissionRecord, { retryForMs }: RetryPolicy,
): number {
  const startedAt = (erased ?? decision)?.at ?? receivedAt
  // A late decision has some time, too.
  const shortestMs = Math.min(retryForMs, HOUR_MS)
  return Math.max(Math.min(startedAt + retryForMs, receivedAt + DELIVERY_TTL_MS), startedAt + shortestMs)
}

/**
 * Returns when to retry failed work, epoch ms, or null to give it up. Posting a card is never given up: without a card
 * nobody would decide the submission. Updates of an existing card are not given up here either: its buttons would stay,
 * and the cause of a refusal (a token, a permission) may be fixed. The lifecycle ends them.
 *
 * @param random from 0 to 1
 * @param endAt time after which a delivery is given up, epoch ms
 */
export function retryAt(
  work: Work, outcome: FailedAttempt, policy: RetryPolicy,
  { now, random, endAt }: { now: number, random: number, endAt: number },
): number | null {
  if (isGivenUp(work, outcome, now, endAt)) return null
  if (work.kind === 'post' && outcome.content) return now + REFUSED_RETRY_MS
  const isLong = isSent(work) || work.kind === 'update'
  const failedAttempts = outcome.gone ? work.missed ?? 0 : work.attempts
  const ceilingMs = Math.min(policy.baseMs * 3 ** failedAttempts, isLong ? MAX_LONG_DELAY_MS : MAX_DELAY_MS)
  // Half of the delay is random, so that work that failed at the same time is not retried at the same time.
  const delayMs = ceilingMs / 2 + random * ceilingMs / 2
  const pauseMs = vendorPauseMs(outcome.retryAfterMs, isSent(work) ? MAX_DELIVERY_PAUSE_MS : undefined)
  const nextAt = now + Math.max(delayMs, pauseMs)
  return isSent(work) && now < endAt ? Math.min(nextAt, endAt) : nextAt
}

/** True for work that goes to the receiver of a forward: it is retried for days. */
export function isSent({ kind }: Work): boolean {
  return isDelivery(kind) || kind === 'erasure'
}

/** Rate limits never end the retries. */
function isGivenUp(
  work: Work, { permanent, reason, gone, limited }: FailedAttempt, now: number, endAt: number,
): boolean {
  const { kind, attempts, missed = 0 } = work
  // A file that its storage has lost does not come back.
  const isPatient = isSent(work) && reason !== FILE_LOST
  if (kind === 'post') return false
  if (gone) return missed + 1 >= MAX_MISSED
  if (kind === 'update') return false
  return permanent || (!limited && (isPatient ? now >= endAt : attempts + 1 >= MAX_ATTEMPTS))
}

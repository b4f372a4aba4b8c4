const HOUR_MS = 60 * 60 * 1000
const DAY_MS = 24 * HOUR_MS

/** Lifetime of a submission, ms. After it, the submission is erased, decided or not (specification, "Limits"). */
export const SUBMISSION_TTL_MS = 7 * DAY_MS

/** Time before a submission expires at which its rooms get a reminder, ms. */
export const REMINDER_LEAD_MS = DAY_MS

/** Time for which a decided submission is kept after its expiry or its last attempt at a delivery, ms. */
export const SETTLING_GRACE_MS = HOUR_MS

/** Age of a submission after which its deliveries are not tried again, ms. */
export const DELIVERY_TTL_MS = 10 * DAY_MS

/** Min time to decide again after a delivery was given up, ms. */
export const DECIDE_AGAIN_MS = DAY_MS

/** Age at which every submission is erased, even if it is still being delivered or confirmed, ms. */
export const MAX_KEPT_MS = DELIVERY_TTL_MS + DECIDE_AGAIN_MS + DAY_MS

/** Time after a submission's end in which its cards are updated, ms. A card that fails until then stays as it is. */
export const CARD_UPDATES_MS = 7 * DAY_MS

/** Time for which a record is kept after its form data is erased, ms: one day longer than its cards are updated. */
export const RECORD_GRACE_MS = CARD_UPDATES_MS + DAY_MS

/** Time for which a trace is kept after its last change, ms. */
export const TRACE_TTL_MS = 7 * DAY_MS

/** Time for which audit lines are kept, ms. */
export const AUDIT_TTL_MS = 30 * DAY_MS

/** Time for which an idempotency key is held, ms. */
export const IDEMPOTENCY_TTL_MS = DAY_MS

/** Time after which a notice to a room is forgotten and may be sent again, ms. */
export const NOTICE_TTL_MS = DAY_MS

/** Time for which an incident is shown after its last occurrence, ms. */
export const INCIDENT_TTL_MS = DAY_MS

/** Window in which events are counted by the hour, ms. */
export const TALLY_WINDOW_MS = DAY_MS

/** Lifetime of an hour's counts, ms: they are shown until one window after the hour ends. */
export const TALLY_TTL_MS = TALLY_WINDOW_MS + HOUR_MS

/** Returns the start of the hour that contains a time, epoch ms. */
export function hourOf(at: number): number {
  return Math.floor(at / HOUR_MS) * HOUR_MS
}

/** Returns the starts of the hours that are counted at a time, epoch ms, oldest first. */
export function tallyHours(now: number): number[] {
  const count = TALLY_WINDOW_MS / HOUR_MS
  return Array.from({ length: count }, (_, index) => hourOf(now) - (count - 1 - index) * HOUR_MS)
}

/** Returns the number of whole days for a text, e.g. 7. */
export function daysOf(ms: number): number {
  return ms / DAY_MS
}

/** Returns whole days for a sentence, e.g. `7 days`. */
export function inDays(ms: number): string {
  const days = daysOf(ms)
  return days === 1 ? '1 day' : `${days} days`
}

/** Returns whole hours for a sentence, e.g. `24 hours`. */
export function inHours(ms: number): string {
  return `${ms / HOUR_MS} hours`
}

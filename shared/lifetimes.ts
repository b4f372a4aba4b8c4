const HOUR_MS = 60 * 60 * 1000
const DAY_MS = 24 * HOUR_MS

/** Lifetime of a submission, ms: it is erased then, decided or not (specification, "Limits"). */
export const SUBMISSION_TTL_MS = 7 * DAY_MS

/** Time before the end of a submission at which its rooms are reminded of it, ms. */
export const REMINDER_LEAD_MS = DAY_MS

/** Longest time by which a decided submission outlives `SUBMISSION_TTL_MS` while its deliveries are tried, ms. */
export const SETTLING_GRACE_MS = HOUR_MS

/** Age after which no submission is kept any more, even if it is still being delivered or confirmed, ms. */
export const MAX_KEPT_MS = SUBMISSION_TTL_MS + DAY_MS

/** Time after the end in which cards are updated, ms. A card that fails until then keeps its old content. */
export const CARD_UPDATES_MS = 7 * DAY_MS

/** Time for which a record outlives its form data, ms: as long as its cards are updated, and a day. */
export const RECORD_GRACE_MS = CARD_UPDATES_MS + DAY_MS

/** Time for which a trace is kept after its last change, ms. */
export const TRACE_TTL_MS = 7 * DAY_MS

/** Time for which audit lines are kept, ms. */
export const AUDIT_TTL_MS = 30 * DAY_MS

/** Time for which an idempotency key is held, ms. */
export const IDEMPOTENCY_TTL_MS = DAY_MS

/** Time after which a notice to a room is forgotten and may be sent again, ms. */
export const NOTICE_TTL_MS = DAY_MS

/** Time for which incidents are shown after the last one of their kind, ms. */
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

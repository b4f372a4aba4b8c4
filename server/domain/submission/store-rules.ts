import type { StoreRules } from '../../ports/store'
import type { Submission } from '../../ports/submission'
import { parseJson } from '../json'
import { outstanding } from './record'

/** A stored submission lives 7 days (specification, "Limits"). */
export const SUBMISSION_TTL_MS = 7 * 24 * 60 * 60 * 1000

/** The room is reminded of an undecided submission this long before it expires. */
export const REMINDER_LEAD_MS = 24 * 60 * 60 * 1000

/** Longest that a decided submission may outlive its 7 days while its deliveries are still being tried. */
export const SETTLING_GRACE_MS = 60 * 60 * 1000

/** When anybody has to look at this submission again, epoch ms. */
export function nextAttention(submission: Submission): number {
  const due = outstanding(submission).map(work => work.dueAt)
  if (submission.state === 'held') due.push(submission.expiresAt)
  const reminderAt = submission.expiresAt - REMINDER_LEAD_MS
  if (submission.state === 'open') due.push(submission.reminded ? submission.expiresAt : reminderAt)
  return Math.min(...due)
}

/** Whether it waits for a person, because a delivery or a card was refused or given up. */
export function needsPerson({ state, failures, work }: Submission): boolean {
  return state === 'open' && (failures.length > 0 || work.some(({ refused }) => refused))
}

/** Until when the form data may be kept, epoch ms. */
export function dataLivesUntil({ decision, expiresAt }: Submission): number {
  return decision ? Math.max(expiresAt, decision.at + SETTLING_GRACE_MS) : expiresAt
}

/** What a store has to know of the lifecycle. */
export const storeRules: StoreRules = { nextAttention, dataLivesUntil, needsPerson, parse: parseJson }

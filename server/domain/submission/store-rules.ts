import type { List, StoreRules } from '../../ports/store'
import type { Holder, Submission, SubmissionRecord } from '../../ports/submission'
import { parseJson } from '../json'
import { isPending, isRevocable, outstanding } from './record'
import { isOver } from './trace'

/** A stored submission lives 7 days (specification, "Limits"). */
export const SUBMISSION_TTL_MS = 7 * 24 * 60 * 60 * 1000

/** The room is reminded of an undecided submission this long before it expires. */
export const REMINDER_LEAD_MS = 24 * 60 * 60 * 1000

/** For so long who takes a submission is taken to be a reviewer, ms. */
const LISTED_MS = 60 * 1000

/** Longest that a decided submission may outlive its 7 days while its deliveries are still being tried. */
export const SETTLING_GRACE_MS = 60 * 60 * 1000

/** When anybody has to look at this submission again, epoch ms. */
export function nextAttention(submission: SubmissionRecord): number {
  const due = outstanding(submission).map(work => work.dueAt)
  if (submission.state === 'held') due.push(submission.expiresAt)
  if (isRevocableSpam(submission)) due.push(submission.revocableUntil!)
  if (submission.collapse && !submission.collapse.begun) due.push(submission.collapse.at)
  const reminderAt = submission.expiresAt - REMINDER_LEAD_MS
  if (submission.state === 'open') due.push(submission.reminded ? submission.expiresAt : reminderAt)
  if (submission.state === 'settled') due.push(submission.keptUntil ?? Infinity)
  if (submission.holder) due.push(holderAttention(submission.holder))
  return Math.min(...due)
}

/** Whether holders are still on the list is asked from then on, at every sweep that may take the submission. */
function holderAttention({ since, until, listed }: Holder): number {
  return listed ? Math.min(since + LISTED_MS, until) : until
}

/** Whether its form data is still wanted, although everything is done. */
export function isKept({ state, data, keptUntil = 0 }: Submission, now: number): boolean {
  return state === 'settled' && data !== null && now < keptUntil
}

/** Whether it waits for a person, because a delivery or a card was refused or given up. */
export function needsPerson({ state, failures, work }: SubmissionRecord): boolean {
  return state === 'open' && (failures.length > 0 || work.some(({ refused }) => refused))
}

/** Whether it is spam that is kept for a while, because somebody may take that back. */
function isRevocableSpam(submission: SubmissionRecord): boolean {
  return submission.state === 'settled' && isRevocable(submission)
}

/** The list in which people find it; null when that is none. */
export function listOf(submission: SubmissionRecord): List | null {
  if (isPending(submission)) return 'pending'
  if (submission.state === 'held') return 'held'
  return isRevocableSpam(submission) ? 'spam' : null
}

/** Until when the form data may be kept, epoch ms. */
export function dataLivesUntil(submission: SubmissionRecord): number {
  const { state, decision, erased, collapse, expiresAt, revocableUntil, keptUntil } = submission
  if (isRevocableSpam(submission)) return revocableUntil!
  // Its record has to stay at least as long.
  if (erased ?? collapse) return Math.max(expiresAt, (erased ?? collapse)!.at)
  // Cards that have not followed yet are drawn with it.
  if (state === 'settled' && keptUntil !== undefined && outstanding(submission).length === 0) return keptUntil
  return decision ? Math.max(expiresAt, decision.at + SETTLING_GRACE_MS) : expiresAt
}

/** What a store has to know of the lifecycle. */
export const storeRules: StoreRules = {
  nextAttention, dataLivesUntil, needsPerson, isTaken: ({ holder }) => holder !== undefined, listOf, isOver,
  parse: parseJson,
}

import type { RichText } from '../../shared/types/line'
import type { Action, Field, Person, Submission, SubmissionData } from './submission'

/**
 * Access of a conversation's tools to the submissions of its place; others do not exist there. Every method rejects
 * when the store cannot be reached.
 */
export interface SubmissionAccess {
  /** Returns the newest pending submissions that match `text` (rules in `domain/queries/search.ts`). */
  search(text: string, limit: number): Promise<Found>
  /** Returns a submission that is still kept, or null. */
  get(id: string): Promise<ShownSubmission | null>
  stats(): Promise<SubmissionStats>
  /** Decides in the same way as a click. */
  decide(approved: ApprovedDecision): Promise<Exclude<DecisionResult, Invalid>>
}

/** A decision that somebody approved or asked for. */
export interface ApprovedDecision {
  id: string
  action: Action
  person: Person
  /** Edits before a forward; other fields keep their values. */
  changes?: readonly FieldChange[]
  /** Digest of the form data that was approved. Changed data is not decided. */
  content?: string
}

interface FieldChange {
  /** Name in the shown data, or path. */
  field: string
  value: string
}

export interface ShownSubmission extends Pick<Submission, 'id' | 'state' | 'receivedAt' | 'expiresAt'> {
  /** Answers by label, or by path where a label is repeated, with the edits of reviewers; null once erased. */
  data: SubmissionData | null
  /** Digest of the data; absent when the submission cannot be decided. */
  content?: string
  /** Fields with labels and values for people. */
  fields: readonly Field[]
  /** Decision, destinations and failures; one line each. */
  notes: readonly string[]
}

export interface Found {
  submissions: ShownSubmission[]
  /** Number of matches; if `complete` is false, only among the submissions that were searched. */
  matches: number
  /** Number of pending submissions; if `complete` is false, only among those that were searched. */
  pending: number
  /** False if there are more pending submissions than a search reads. */
  complete: boolean
}

export interface SubmissionStats extends Pick<Found, 'pending' | 'complete'> {
  /** Arrival of the newest pending submission, epoch ms; null if there is none. */
  newestAt: number | null
  /** Outcomes of the latest submissions; `sinceAt` is the start of the audit lines that were read. */
  decided: { forwarded: number, spam: number, expired: number, sinceAt: number | null }
}

/** Result of an attempt to decide a submission. Exactly one decision wins. */
export type DecisionResult
  = | { kind: 'done', /** Deadline for revoking it, epoch ms. */ revocableUntil?: number }
    | Invalid
    | Refused

/** Typed texts that do not fit their fields; errors by input id. */
export interface Invalid { kind: 'invalid', errors: Readonly<Record<string, string>> }

/**
 * Nothing happened; `message` gives the reason in one line, e.g. who was faster. `silent`: the message is not shown,
 * because the store does not know the id, or the platform sent the same click again.
 */
export type Refused = { kind: 'unchanged' | 'silent', message: RichText } | Forbidden

/**
 * The person may not decide, and only they read why: they are on no list, membership cannot be checked now, the
 * submission is assigned to another reviewer, or it belongs to another room.
 */
export interface Forbidden {
  kind: 'forbidden'
  reason: 'unlisted' | 'unknown' | 'taken' | 'elsewhere'
  message: RichText
}

import type { RichText } from '../../shared/types/line'
import type { Action, Field, Person, Submission, SubmissionData } from './submission'

/**
 * Access of a conversation's tools to the submissions of its place only. Every method rejects when the store cannot be
 * reached.
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
  /** Edits to make before a forward; other fields keep their values. */
  changes?: readonly FieldChange[]
  /** Digest of the form data that was approved. If the data has changed since, the decision is refused. */
  content?: string
}

interface FieldChange {
  /** Name of the field in `ShownSubmission.data`, or its path. */
  field: string
  value: string
}

export interface ShownSubmission extends Pick<Submission, 'id' | 'state' | 'receivedAt' | 'expiresAt'> {
  /** Answers by label (by path if a label is repeated), including reviewers' edits; null once erased. */
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
  /** Number of matches; counts only searched submissions if `complete` is false. */
  matches: number
  /** Number of pending submissions; counts only searched submissions if `complete` is false. */
  pending: number
  /** False if there are more pending submissions than a search reads. */
  complete: boolean
}

export interface SubmissionStats extends Pick<Found, 'pending' | 'complete'> {
  /** Arrival of the newest pending submission, epoch ms; null if there is none. */
  newestAt: number | null
  /** Outcomes of the latest submissions; `sinceAt` is the time of the oldest audit line read, epoch ms. */
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
 * Nothing happened; `message` gives the reason in one line, e.g. who decided first. `silent`: do not show the message,
 * because the id is unknown, or because the platform sent the same click again.
 */
export type Refused = { kind: 'unchanged' | 'silent', message: RichText } | Forbidden

/**
 * The person may not decide; the reason is shown only to them. They are not on the list, membership cannot be checked
 * now, the submission is assigned to another reviewer, or it belongs to another room.
 */
export interface Forbidden {
  kind: 'forbidden'
  reason: 'unlisted' | 'unknown' | 'taken' | 'elsewhere'
  message: RichText
}

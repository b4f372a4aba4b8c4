import type { RichText } from '../../shared/types/line'
import type { Action, Field, Person, Submission, SubmissionData } from './submission'

/**
 * What the tools of a conversation may do with the submissions of its place; others do not exist there.
 * Every method rejects when the store cannot be reached.
 */
export interface SubmissionAccess {
  /** The newest pending submissions that a search for `text` finds (`domain/queries/search.ts` has the rule). */
  search(text: string, limit: number): Promise<Found>
  /** A submission that is still kept, or null. */
  get(id: string): Promise<ShownSubmission | null>
  stats(): Promise<SubmissionStats>
  /** Decides by the same claim as a click. */
  decide(approved: ApprovedDecision): Promise<Exclude<DecisionResult, Invalid>>
}

/** A decision that somebody approved, or asked for. */
export interface ApprovedDecision {
  id: string
  action: Action
  person: Person
  /** What is edited before a forward; other fields stay as they are. */
  changes?: readonly FieldChange[]
  /** Digest of the form data that was approved: other data are not decided. */
  content?: string
}

interface FieldChange {
  /** A key of the form data. */
  field: string
  value: string
}

export interface ShownSubmission extends Pick<Submission, 'id' | 'state' | 'receivedAt' | 'expiresAt'> {
  /** As the website sent it, with what reviewers edited; null once erased. */
  data: SubmissionData | null
  /** Digest of the data; absent when it cannot be decided. */
  content?: string
  /** As people read it. */
  fields: readonly Field[]
  /** Who decided, where it went, what failed; one line each. */
  notes: readonly string[]
}

export interface Found {
  submissions: ShownSubmission[]
  /** How many match; of those looked at, when not all were. */
  matches: number
  /** How many are pending, of those looked at when not all were. */
  pending: number
  /** False when there are more pending submissions than are looked at. */
  complete: boolean
}

export interface SubmissionStats extends Pick<Found, 'pending' | 'complete'> {
  /** When the newest pending submission came, epoch ms; null when none is pending. */
  newestAt: number | null
  /** How the latest submissions ended; `sinceAt` is how far back the audit was read. */
  decided: { forwarded: number, spam: number, expired: number, sinceAt: number | null }
}

/** Result of an attempt to decide a submission. Exactly one decision of a submission wins. */
export type DecisionResult
  = | { kind: 'done', /** Until then it can be taken back, epoch ms. */ revocableUntil?: number }
    | Invalid
    | Refused

/** Typed texts do not fit their fields; by input id. */
export interface Invalid { kind: 'invalid', errors: Readonly<Record<string, string>> }

/**
 * Nothing happened; one line that says why, e.g. who was faster. `silent`: they are not told, because the store
 * does not know the id, or the platform sent the same click again.
 */
export type Refused = { kind: 'unchanged' | 'silent', message: RichText } | Forbidden

/**
 * They may not, and alone read why: no list names them, nobody can tell just now, another one has it, or it belongs to
 * another room.
 */
export interface Forbidden {
  kind: 'forbidden'
  reason: 'unlisted' | 'unknown' | 'taken' | 'elsewhere'
  message: RichText
}

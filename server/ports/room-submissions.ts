import type { Field } from './board'
import type { Reviewer, Submission, SubmissionData } from './submission'

/** What the tools of a conversation may do with the submissions of its place; others do not exist there. Every method rejects when the store cannot be reached. */
export interface Desk {
  /** The newest pending submissions that contain every word of `text`, or whose id begins with it; all when it is empty. */
  search(text: string, limit: number): Promise<Found>
  /** A submission that is still kept, or null. */
  get(id: string): Promise<DeskSubmission | null>
  stats(): Promise<DeskStats>
  /** Forwards or discards by the same claim as a click. */
  decide(id: string, action: 'forward' | 'spam', reviewer: Reviewer): Promise<Verdict>
  /** Edits fields by name, then forwards. Fields that are not named stay as they are. */
  decideEdited(id: string, changes: readonly FieldChange[], reviewer: Reviewer): Promise<Verdict>
}

export interface FieldChange {
  /** A key of the form data. */
  field: string
  value: string
}

export interface DeskSubmission {
  id: string
  state: Submission['state']
  /** Epoch ms. */
  receivedAt: number
  /** Epoch ms. */
  expiresAt: number
  /** As the website sent it, with what reviewers edited; null once erased. */
  data: SubmissionData | null
  /** As people read it. */
  fields: readonly Field[]
  /** Who decided, where it went, what failed; one line each. */
  notes: readonly string[]
}

export interface Found {
  submissions: DeskSubmission[]
  /** How many match; of those looked at, when not all were. */
  matches: number
  /** How many are pending, of those looked at when not all were. */
  pending: number
  /** False when there are more pending submissions than are looked at. */
  complete: boolean
}

export interface DeskStats {
  /** Of those looked at, when not all were. */
  pending: number
  /** False when there are more pending submissions than are looked at. */
  complete: boolean
  /** When the newest of them came, epoch ms; null when none is pending. */
  newestAt: number | null
  /** What became of the latest, which is as far as the audit is looked at. */
  decided: { forwarded: number, spam: number, expired: number, sinceAt: number | null }
}

export type Verdict
  = | { decided: true }
    /** Nothing happened; one line that says why. */
    | { decided: false, reason: string }

import type { AssignmentAction, RevokingAction } from '../actions'
import type { FieldType } from '../field-types/field-types'
import type { RichText } from './line'
import type { HistoryEntry, EmailStatus } from '../../server/ports/submission'

/**
 * States that people see. `retrying`: work failed and is retried. `failed`: a person must act. `held`: quarantined
 * as likely spam, without a card. `spam`: marked as spam, which can still be revoked. `done`: finished.
 */
export const ROW_STATES = ['waiting', 'delivering', 'retrying', 'failed', 'held', 'spam', 'done'] as const
export type RowState = typeof ROW_STATES[number]

export interface Problem {
  /** Failed work, e.g. `Email`, `Card on Slack` or `Could not be posted to Slack`. */
  what: string
  reason: string
  /** Epoch ms; null if it was given up and needs a decision. */
  nextAttemptAt: number | null
  /** Name of the vendor, if only its rate limit delays the work. */
  limitedBy?: string
  /** True if the platform refuses the card, whatever its content; a person can have it posted again. */
  refused: boolean
}

/** Filter by assignee, if assignment is on. */
export const HOLDERS = ['mine', 'free', 'taken'] as const
export type HolderFilter = typeof HOLDERS[number]

export const SORTS = ['newest', 'oldest'] as const
export type Sort = typeof SORTS[number]

/** Assignee of a submission. */
export interface HolderLine {
  name: string
  /** Display name of the platform. */
  platform: string
  /** Epoch ms. */
  since: number
}

/** Result for one of many submissions. */
export interface BulkResult {
  id: string
  /** HTTP status that a request for this submission alone would get. */
  status: number
  error?: string
  code?: string
  /** The error as rich text, if it names a time. */
  line?: RichText
}

/** Result of a request to erase everything that contains an email address or a text. */
export interface Forgotten {
  /** Number of erased submissions. */
  erased: number
  /** Number of further matches that the caller may not decide. */
  forbidden: number
  /** Ids of unreadable submissions, which may contain the text and were not erased. */
  unreadable: string[]
  /** Copies that cannot be erased from here; one line each. */
  unreachable: string[]
  /** Cursor for the next request; null when all readable submissions were searched. */
  before: string | null
}

/** Location of a submission's card. */
export interface CardLocation {
  /** Display name of the platform. */
  platform: string
  url: string | null
}

/** A pending submission as one row. All texts come from the form: the renderer escapes them. */
export interface Row {
  id: string
  /** Name of its form; null for the default form. */
  form: string | null
  state: RowState
  /** True if it can be decided, whatever the state of its cards. */
  open: boolean
  /** Epoch ms. */
  receivedAt: number
  /** Time when its data is erased, epoch ms. */
  expiresAt: number
  /** First fields, shortened; empty if there are none, or if the data is erased. */
  preview: { label: string, value: string }[]
  /** Number of fields that the preview leaves out. */
  more: number
  /** True if the form data is erased: it was spam, or it expired. */
  erased: boolean
  /** Outcome of a finished submission. */
  ending: RichText | null
  cards: CardLocation[]
  problem: Problem | null
  /** Null if it is not assigned. */
  holder: HolderLine | null
}

export interface RowPage {
  /** Time of the request to the store, epoch ms: later arrivals are new. */
  now: number
  /** Store revision at that time, from which `GET /api/submissions/events` reports changes. Null for rows by ids. */
  revision: string | null
  rows: Row[]
  /** Ids of the rows; ids of all matches if only ids were requested. */
  found: string[]
  /** Number of submissions in the list (pending, held, spam or over), whatever the other filters. */
  total: number
  /** Pass it as `before`; null on the last page. A page may be short or empty although more follow. */
  cursor: string | null
  /** Number of submissions read for this page. */
  scanned: number
  /** Ids of unreadable submissions in this part of the list, which have no row; absent if there are none. */
  unreadable?: string[]
}

/** Number of submissions behind one choice of the filter; null if unknown. */
interface Choice {
  /** Key of the form or the platform. */
  key: string
  label: string
  count: number | null
}

/** Number of submissions for each choice while the other filters stay as they are; null if unknown. */
export interface Counts {
  states: Record<RowState | 'all', number | null>
  holders: Record<HolderFilter, number | null>
  /** The default form first. */
  forms: Choice[]
  /** Platforms of the rooms in which cards are posted. */
  platforms: Choice[]
}

/** A value and its question. All texts come from the form: the renderer escapes them. */
export interface TechnicalDetails {
  /** Path of the value in the sent data as text, such as `data.email`; the field's key in a flat form. */
  key: string
  label: string
  /**
   * `tree`: the value is JSON of an object or a list. `json`: JSON of a number, a boolean or null. A list or an object
   * of short texts is a `text` with one line for each.
   */
  kind: 'text' | 'json' | 'tree'
  value: string
}

/** A complete field */
export interface FieldDetails extends TechnicalDetails {
  /** Id of its input in the edit form. */
  id: string
  /** Value for people, by the field's type; absent if equal to `value`. */
  shown?: string
  edited: boolean
  /** Previous value of an edited field, if known; JSON unless it is a text. */
  was?: string
  /** Type that the form defines for the field, if any. */
  type?: FieldType
  /** Options to choose from: configured for the form, or sent with the answer. */
  options?: readonly string[]
}

/** A file that was sent with a form. All texts come from the form: the renderer escapes them. */
export interface FileDetails {
  /** Label of the field in which it was sent. */
  label: string
  name: string
  /** Media type, detected from the content. */
  type: string
  /** For example `1.4 MB`. */
  size: string
  /** A path of this site. */
  url: string | null
  /** True for a small picture that a browser may show unchanged. */
  isPicture: boolean
}

/** One event in the history of a submission. */
export interface HistoryLine {
  /** Epoch ms. */
  at: number
  event: HistoryEntry['event']
  text: string
  /** Reason of a failure. */
  reason: string | null
  /** Time of the next attempt, epoch ms. */
  againAt: number | null
  /** Duration of an attempt at a delivery, ms, its status, and the beginning of the answer; null if not known. */
  ms: number | null
  status: number | null
  answer: string | null
  /** Number of such failures, and the time of the first, epoch ms; null if it is the only one. */
  repeated: { count: number, since: number } | null
  /** Email status in a receipt. */
  verdict: EmailStatus | null
}

/** Outstanding work. */
interface WorkLine {
  what: string
  /** Failed attempts so far. */
  attempts: number
  reason: string | null
  /** Epoch ms. */
  dueAt: number
}

export interface SubmissionDetails extends Omit<Row, 'state' | 'preview' | 'more' | 'ending'> {
  /** Time of reading, epoch ms. */
  now: number
  /** Time when a person erased the data or it expired, epoch ms; null while it is kept, or after a decision. */
  erasedAt: number | null
  state: RowState | 'expired'
  /** Same as `RowPage.revision`. */
  revision: string
  /** True if the caller may decide it; viewers see no buttons. Null while that cannot be checked. */
  mayDecide: boolean | null
  /** True if form data is left to erase, here or on cards, and the caller may erase it. */
  mayErase: boolean
  /** Action on the assignment that the caller has: take the submission, or release their own. */
  taking: AssignmentAction | null
  fields: FieldDetails[]
  /** Values that are no answers, such as ids of the form's provider. */
  technical: TechnicalDetails[]
  /** The data as JSON if it contains more than the fields, or nests them in other values; else null. */
  sent: string | null
  files: FileDetails[]
  /** Decision, or failures; one line each. */
  notes: readonly RichText[]
  /** Destinations of a forward, for people. */
  destinations: string[]
  /** Button label and remaining destinations of a forward without edits after a partial delivery. */
  retry: { label: string, destinations: string[] } | null
  /** Action that revokes the decision, and its deadline, epoch ms; null if it cannot be revoked. */
  revocation: { action: RevokingAction, until: number } | null
  /** Time for which a decision made now can be revoked, ms; 0 if it cannot. */
  revocableMs: Readonly<Record<'forward' | 'spam', number>>
  /** Addresses of the bounced email, as the default for sending it again; null if none bounced. */
  sendAgain: string | null
  history: HistoryLine[]
  work: WorkLine[]
}

import type { FieldType } from '../../server/ports/field-rules'
import type { RichText } from './line'
import type { HistoryEntry, EmailStatus } from '../../server/ports/submission'

/**
 * What people tell apart. `retrying`: something went wrong and is tried again. `failed`: it waits for a person.
 * `held`: it looks like spam and has no card. `spam`: somebody marked it so, and may take that back. `done`: it
 * is over.
 */
export const ROW_STATES = ['waiting', 'delivering', 'retrying', 'failed', 'held', 'spam', 'done'] as const
export type RowState = typeof ROW_STATES[number]

export interface Problem {
  /** What went wrong, e.g. `Email`, `Card on Slack` or `Could not be posted to Slack`. */
  what: string
  reason: string
  /** Epoch ms; null when it was given up and waits for a decision. */
  nextAttemptAt: number | null
  /** Name of the vendor whose pace alone holds it up. */
  limitedBy?: string
  /** A card that the platform refuses, whatever it is: a person may have it posted again. */
  refused: boolean
}

/** Whose submissions are asked for, where people take them. */
export const HOLDERS = ['mine', 'free', 'taken'] as const
export type HolderFilter = typeof HOLDERS[number]

export const SORTS = ['newest', 'oldest'] as const
export type Sort = typeof SORTS[number]

/** Who is on it. */
export interface HolderLine {
  name: string
  /** As people know it. */
  platform: string
  /** Epoch ms. */
  since: number
}

/** What may be done to many at once. */
export const BULK_ACTIONS = ['forward', 'spam', 'release', 'undo', 'reopen', 'take', 'hand-back'] as const
export type BulkAction = typeof BULK_ACTIONS[number]

/** What became of one of many. */
export interface BulkResult {
  id: string
  /** As a request for this one alone would have been answered. */
  status: number
  error?: string
  code?: string
  /** The error, where it tells of a moment. */
  line?: RichText
}

/** What became of a request to forget everything that contains something. */
export interface Forgotten {
  /** How many submissions were erased. */
  erased: number
  /** How many more contain it, which whoever asked may not decide. */
  forbidden: number
  /** Ids of those that cannot be read: they may contain it, and were not erased. */
  unreadable: string[]
  /** What cannot be erased from here; one line each. */
  unreachable: string[]
  /** Send it again with this to go on; null when everything that can be read was looked through. */
  before: string | null
}

/** Where the card of a submission is. */
export interface CardLocation {
  /** Name of the platform as people know it. */
  platform: string
  url: string | null
}

/** A pending submission in one line. Form text throughout: whoever renders it escapes it. */
export interface Row {
  id: string
  /** Name of its form; null for the default one. */
  form: string | null
  state: RowState
  /** The three decisions are on offer, whatever becomes of its cards. */
  open: boolean
  /** Epoch ms. */
  receivedAt: number
  /** When its data is erased, epoch ms. */
  expiresAt: number
  /** The first fields, cut; empty when there are none, or when the data was erased. */
  preview: { label: string, value: string }[]
  /** Fields that the preview leaves out. */
  more: number
  /** The data is gone: it is spam, or its time has come. */
  erased: boolean
  /** What became of it, when it is over. */
  ending: RichText | null
  cards: CardLocation[]
  problem: Problem | null
  /** Null for nobody. */
  holder: HolderLine | null
}

export interface RowPage {
  /** When the store was asked, epoch ms: what came in later is new. */
  now: number
  /** Of the store when it was asked: tells `GET /api/submissions/events` what is known. Null for those named by ids. */
  revision: string | null
  rows: Row[]
  /** Ids of the rows; where ids alone were asked for, of all that were found. */
  found: string[]
  /** Of all pending submissions, or of all that are held, whatever the rest of the filter. */
  total: number
  /** Hand back as `before`; null on the last page. A page may be short, or empty, while more follow. */
  cursor: string | null
  /** How many submissions were looked at for this page. */
  scanned: number
  /** Ids of those about here that cannot be read, and are in no row; absent for none. */
  unreadable?: string[]
}

/** How many submissions a choice of the filter lists; null where nobody knows. */
interface Choice {
  /** Of the form, or of the platform. */
  key: string
  label: string
  count: number | null
}

/** How many submissions each choice would list, with the rest of the filter as it is; null where nobody knows. */
export interface Counts {
  states: Record<RowState | 'all', number | null>
  holders: Record<HolderFilter, number | null>
  /** The default form first. */
  forms: Choice[]
  /** Of the rooms in which cards are posted. */
  platforms: Choice[]
}

/** A field in full. Form text: whoever renders it escapes it. */
export interface FieldDetails {
  /** Its input in the edit form. */
  id: string
  label: string
  /** `tree`: the value is the JSON of an object or a list. `json`: of a number, a boolean or null. */
  kind: 'text' | 'json' | 'tree'
  value: string
  /** As people read it, by its type; absent where that is the value. */
  shown?: string
  edited: boolean
  /** What the sender wrote, of one that was edited, as far as that is known; JSON of what is none. */
  was?: string
  /** What its form takes there, where it says so. */
  type?: FieldType
  /** What can be selected. */
  options?: readonly string[]
}

/** A file that came with a form. Form text: whoever renders it escapes it. */
export interface FileDetails {
  /** What people read instead of the field that it came in. */
  label: string
  name: string
  /** Media type, by its content. */
  type: string
  /** `1.4 MB`. */
  size: string
  /** A path of this site. */
  url: string | null
  /** A small picture that a browser may show as it is. */
  isPicture: boolean
}

/** One thing that happened. */
export interface HistoryLine {
  /** Epoch ms. */
  at: number
  event: HistoryEntry['event']
  text: string
  /** Why it failed. */
  reason: string | null
  /** When it is tried again, epoch ms. */
  againAt: number | null
  /** What a receipt said. */
  verdict: EmailStatus | null
}

/** Something that is still to be done. */
interface WorkLine {
  what: string
  /** Attempts that failed so far. */
  attempts: number
  reason: string | null
  /** Epoch ms. */
  dueAt: number
}

export interface SubmissionDetails extends Omit<Row, 'state' | 'preview' | 'more' | 'ending'> {
  /** When it was read, epoch ms. */
  now: number
  /** When somebody had its data erased, or it expired, epoch ms; null while it is kept, and where it was decided. */
  erasedAt: number | null
  state: RowState | 'expired'
  /** As of a `RowPage`. */
  revision: string
  /** To whoever asks: who only looks sees no buttons. Null while nobody can tell. */
  mayDecide: boolean | null
  /** There is form data to erase, here or on cards, and whoever asks may. */
  mayErase: boolean
  /** What whoever asks may do about who has it: take it, or hand back what is theirs. */
  taking: 'take' | 'hand-back' | null
  fields: FieldDetails[]
  files: FileDetails[]
  /** Who decided, or what was given up. */
  notes: readonly RichText[]
  /** Where a forward goes, as people read it. */
  destinations: string[]
  /** What a forward without edits does when a part of it was done before: the button's label, and where it goes. */
  retry: { label: string, destinations: string[] } | null
  /** How its decision is taken back, and until when, epoch ms; null when it cannot be. */
  revocation: { action: 'undo' | 'reopen', until: number } | null
  /** For how long a decision made now could be taken back, ms; 0 for not at all. */
  revocableMs: Readonly<Record<'forward' | 'spam', number>>
  /** Where its email went that came back, to send it again from there; null when none did. */
  sendAgain: string | null
  history: HistoryLine[]
  work: WorkLine[]
}

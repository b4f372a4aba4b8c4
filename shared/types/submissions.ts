import type { HistoryEntry } from '../../server/ports/submission'

/**
 * What people tell apart. `retrying`: something went wrong and is tried again. `failed`: it waits for a person.
 * `held`: it looks like spam and has no card.
 */
export const ROW_STATES = ['waiting', 'delivering', 'retrying', 'failed', 'held'] as const
export type RowState = typeof ROW_STATES[number]

export interface Problem {
  /** What went wrong, e.g. `Email`, `Card on Slack` or `Could not be posted to Slack`. */
  what: string
  reason: string
  /** Epoch ms; null when it was given up and waits for a decision. */
  nextAttemptAt: number | null
  /** A card that the platform refuses, whatever it is: a person may have it posted again. */
  refused: boolean
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
  /** Epoch ms. */
  receivedAt: number
  /** Epoch ms. */
  expiresAt: number
  /** The first fields, cut; empty when there are none, or when the data was erased. */
  preview: { label: string, value: string }[]
  /** Fields that the preview leaves out. */
  more: number
  /** The data is gone: it is spam, or its time has come. */
  erased: boolean
  cards: CardLocation[]
  problem: Problem | null
}

export interface RowPage {
  /** When the store was asked, epoch ms: what came in later is new. */
  now: number
  rows: Row[]
  /** Of all pending submissions, or of all that are held, whatever the rest of the filter. */
  total: number
  /** Hand back as `before`; null on the last page. A page may be short, or empty, while more follow. */
  cursor: string | null
  /** How many submissions were looked at for this page. */
  scanned: number
}

/** A field in full. Form text: whoever renders it escapes it. */
export interface FieldDetails {
  /** Its input in the edit form. */
  id: string
  label: string
  /** `tree`: the value is the JSON of an object or a list. `json`: of a number, a boolean or null. */
  kind: 'text' | 'json' | 'tree'
  value: string
  edited: boolean
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

export interface SubmissionDetails extends Omit<Row, 'state' | 'preview' | 'more'> {
  state: RowState | 'expired'
  /** The three decisions are on offer. */
  open: boolean
  fields: FieldDetails[]
  /** Who decided, or what was given up. */
  notes: readonly string[]
  /** Where a forward goes, as people read it. */
  destinations: string[]
  /** What a forward without edits does when a part of it was done before: the button's label, and where it goes. */
  retry: { label: string, destinations: string[] } | null
  history: HistoryLine[]
  work: WorkLine[]
}

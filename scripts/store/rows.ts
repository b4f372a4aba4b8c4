import type { List } from '../../server/ports/store'

/** Tables of the SQLite schema whose rows are copied. Locks are not: they belong to a process. */
export const COPIED_TABLES = [
  'submissions', 'drafts', 'audit', 'tallies', 'idempotency', 'counts', 'cards', 'gates', 'notices', 'approvals',
  'messages', 'threads', 'pairs', 'chat_values', 'chat_subscriptions', 'chat_lists',
] as const

export type CopiedTable = typeof COPIED_TABLES[number]

type TextColumn = 'id' | 'record' | 'draft' | 'line' | 'event' | 'key' | 'holder' | 'client' | 'room' | 'about' | 'turn'
  | 'verdicts' | 'cards' | 'thread' | 'message' | 'value' | 'kind'
type NumberColumn = 'version' | 'received' | 'stuck' | 'taken' | 'retrying' | 'content_until' | 'at' | 'hour'
  | 'count' | 'stored' | 'seq' | 'attempt' | 'moved'

/** Columns of all copied tables. A submission has its content as `text`, and a draft the `id` of its submission. */
export type Columns = Record<TextColumn, string> & Record<NumberColumn, number> & {
  list: List | null
  due: number | null
  text: string | null
  /** End of the row, epoch ms; null for none */
  until: number | null
}

/** A row in the form in which everything that is kept goes from one store to another. */
export interface StoredRow {
  table: CopiedTable
  /** The columns of this table */
  values: Partial<Columns>
}

/** One end of a copy: a store that no service uses meanwhile. */
export interface StoreCopy {
  /** Reads everything, a page at a time. Submissions come before their drafts, and lists in their order. */
  rows: () => AsyncIterable<readonly StoredRow[]>
  write: (rows: readonly StoredRow[]) => Promise<void>
  /** True if a service, or another copy, uses the store at this moment. */
  isUsed: () => Promise<boolean>
  /** Marks an empty target, or empties one with half a copy. Rejects if anything else is in it. */
  begin: () => Promise<void>
  /** Makes a finished target usable. */
  finish: () => Promise<void>
  close: () => Promise<void>
}

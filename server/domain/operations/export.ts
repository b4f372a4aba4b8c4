import type { Submission } from '../../ports/submission'
import type { SubmissionStore } from '../../ports/store'
import { fieldText } from '../submission/field-text'
import { reached } from '../submission/overview'

export type ExportedTable = 'submissions' | 'audit'

/** One line of an export: plain texts, numbers and ISO times. */
type ExportRow = Readonly<Record<string, string | number>>

interface ExportTable {
  columns: readonly string[]
  rows: AsyncIterable<ExportRow>
}

/** Submissions read at a time. Each may have 256 KiB, and others are answered between two pages. */
const PAGE = 10

/** Columns of form fields at most; what has more is in the JSON export in full. */
const FIELD_COLUMNS = 500

/** Every line of the audit trail that is kept. */
const ALL_LINES = 100_000

export function exportTable(store: SubmissionStore, table: ExportedTable): Promise<ExportTable> {
  return table === 'audit' ? auditTable(store) : submissionTable(store)
}

/** A table as the text of a JSON array, a piece for each item. */
export async function* jsonArray(store: SubmissionStore, table: ExportedTable): AsyncGenerator<string> {
  let before = '['
  for await (const item of table === 'audit' ? auditRecords(store) : pendingSubmissions(store)) {
    yield `${before}\n${JSON.stringify(item)}`
    before = ','
  }
  yield before === '[' ? '[]\n' : '\n]\n'
}

/** What is left of one that nobody can read, because something else wrote under its keys. */
interface UnreadableSubmission {
  id: string
  state: 'unreadable'
}

/** Every pending submission, newest first, read page by page as somebody takes it. */
async function* pendingSubmissions(store: SubmissionStore): AsyncGenerator<Submission | UnreadableSubmission> {
  for (let before: string | undefined; ;) {
    const { submissions, unreadable = [], cursor } = await reached(store.listPending({ limit: PAGE, before }))
    yield* submissions
    yield* unreadable.map(id => ({ id, state: 'unreadable' as const }))
    if (!cursor) return
    before = cursor
  }
}

/** Pending submissions with a column for each field that any of them has. Reads them twice, holds none of them. */
async function submissionTable(store: SubmissionStore): Promise<ExportTable> {
  const fields = new Set<string>()
  for await (const submission of pendingSubmissions(store)) {
    if (submission.state === 'unreadable') continue
    for (const key of Object.keys(submission.data ?? {})) if (fields.size < FIELD_COLUMNS) fields.add(key)
  }
  const keys = [...fields]
  const columns = ['id', 'state', 'received at', 'expires at', 'form', ...keys.map(key => `field: ${key}`)]
  async function* rows(): AsyncGenerator<ExportRow> {
    for await (const submission of pendingSubmissions(store)) {
      if (submission.state === 'unreadable') {
        yield { ...submission }
        continue
      }
      const { id, form = '', state, receivedAt, expiresAt, data } = submission
      const values = keys.map((key): [string, string] => [
        `field: ${key}`, data && Object.hasOwn(data, key) ? fieldText(data[key]) : '',
      ])
      const times = { 'received at': iso(receivedAt), 'expires at': iso(expiresAt) }
      yield { id, state, ...times, form, ...Object.fromEntries(values) }
    }
  }
  return { columns, rows: rows() }
}

/** The audit trail, which has no form data. */
async function auditTable(store: SubmissionStore): Promise<ExportTable> {
  const lines = await reached(store.audit(ALL_LINES))
  async function* rows(): AsyncGenerator<ExportRow> {
    for (const { id, form = '', outcome, at, reviewer, to = [], receivedAt } of lines) {
      yield {
        id, outcome, 'at': iso(at), 'reviewer': reviewer?.name ?? '', 'reviewer id': reviewer?.id ?? '',
        'person': reviewer?.person ?? '', 'platform': reviewer?.platform ?? '', 'to': to.join(', '),
        'received at': iso(receivedAt), form,
      }
    }
  }
  const columns = ['id', 'outcome', 'at', 'reviewer', 'reviewer id', 'person', 'platform', 'to', 'received at', 'form']
  return { columns, rows: rows() }
}

async function* auditRecords(store: SubmissionStore): AsyncGenerator<object> {
  for (const { at, receivedAt, ...line } of await reached(store.audit(ALL_LINES))) yield {
    ...line, at: iso(at), receivedAt: iso(receivedAt),
  }
}

function iso(epochMs: number): string {
  return new Date(epochMs).toISOString()
}

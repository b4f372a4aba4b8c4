import type { Submission } from '../../ports/submission'
import type { SubmissionStore } from '../../ports/store'
import type { Answer } from '../fields/answers'
import { namedAnswers } from '../fields/reading'
import { displayText, fieldText } from '../fields/values'
import { orderedObject } from '../json'
import type { Context } from '../context'
import { readLines } from '../queries/deliveries'
import { orUnavailable } from '../queries/rows'

export type ExportedTable = 'submissions' | 'audit' | 'deliveries'

type Surroundings = Pick<Context, 'store' | 'forms' | 'runtime'>

/** Row of an export, with plain texts, numbers and ISO times. */
type ExportRow = Readonly<Record<string, string | number>>

interface ExportTable {
  columns: readonly string[]
  rows: AsyncIterable<ExportRow>
}

/** Submissions read at a time. Few, because each may have 256 KiB, and the store has other requests to answer. */
const PAGE = 10

/** Max form fields with their own column: spreadsheets take 16,384 columns, but people read fewer. */
const FIELD_COLUMNS = 500

/** Max field names counted at a time. Anybody can invent names, so the rarest names are dropped. */
const COUNTED_FIELDS = 50_000

/** Name of the last column, for fields without a column of their own. */
const OTHER_FIELDS = 'other fields'

/** Max audit lines that a store keeps. */
const ALL_LINES = 100_000

export function exportTable(context: Surroundings, table: ExportedTable): Promise<ExportTable> {
  if (table === 'deliveries') return deliveryTable(context)
  return table === 'audit' ? auditTable(context.store) : submissionTable(context.store)
}

/** Yields a table as the text of a JSON array, item by item. */
export async function* jsonArray(context: Surroundings, table: ExportedTable): AsyncGenerator<string> {
  let separator = '['
  for await (const item of itemsOf(context, table)) {
    yield `${separator}\n${JSON.stringify(item)}`
    separator = ','
  }
  yield separator === '[' ? '[]\n' : '\n]\n'
}

function itemsOf(context: Surroundings, table: ExportedTable): AsyncIterable<object> {
  if (table === 'deliveries') return deliveryRecords(context)
  return table === 'audit' ? auditRecords(context.store) : pendingSubmissions(context.store)
}

/** Submission that cannot be read, because another program wrote to its keys. */
interface UnreadableSubmission {
  id: string
  state: 'unreadable'
}

/** Yields every pending submission, newest first; reads the next page only when it is needed. */
async function* pendingSubmissions(store: SubmissionStore): AsyncGenerator<Submission | UnreadableSubmission> {
  for (let before: string | undefined; ;) {
    const { submissions, unreadable = [], cursor } = await orUnavailable(store.listPending({ limit: PAGE, before }))
    yield* submissions
    yield* unreadable.map(id => ({ id, state: 'unreadable' as const }))
    if (!cursor) return
    before = cursor
  }
}

/**
 * Pending submissions, with columns for the most frequent fields. All other fields of a row share one cell as JSON.
 * Reads the submissions twice and keeps none of them in memory.
 */
async function submissionTable(store: SubmissionStore): Promise<ExportTable> {
  const { keys, hasOthers } = await frequentFields(store)
  const columnKeys = new Set(keys)
  async function* rows(): AsyncGenerator<ExportRow> {
    for await (const submission of pendingSubmissions(store)) {
      if (submission.state === 'unreadable') {
        yield { ...submission }
        continue
      }
      const { id, form = '', state, receivedAt, expiresAt } = submission
      const answers = namedAnswers(submission.data)
      const otherFields = [...answers].filter(([name]) => !columnKeys.has(name))
      // Skip a submission that arrived after the columns were chosen: the next export includes it.
      if (otherFields.length > 0 && !hasOthers) continue
      const values = keys.map((key): [string, string] => [
        `field: ${key}`, answers.has(key) ? cellOf(answers.get(key)!) : '',
      ])
      const times = { 'received at': iso(receivedAt), 'expires at': iso(expiresAt) }
      const otherCell = otherFields.length > 0 && {
        [OTHER_FIELDS]: fieldText(orderedObject(otherFields.map(([name, { value }]) => [name, value]))),
      }
      yield { id, state, ...times, form, ...Object.fromEntries(values), ...otherCell }
    }
  }
  const columns = ['id', 'state', 'received at', 'expires at', 'form', ...keys.map(key => `field: ${key}`)]
  return { columns: hasOthers ? [...columns, OTHER_FIELDS] : columns, rows: rows() }
}

/** Returns the fields that most pending submissions have, most frequent first; `hasOthers` if there are more. */
async function frequentFields(store: SubmissionStore): Promise<{ keys: string[], hasOthers: boolean }> {
  const counts = new Map<string, number>()
  let hasOthers = false
  for await (const submission of pendingSubmissions(store)) {
    const keys = submission.state === 'unreadable' ? [] : [...namedAnswers(submission.data).keys()]
    hasOthers ||= keys.length > FIELD_COLUMNS
    // Limit the names per submission, so that invented names do not displace common ones.
    for (const key of keys.slice(0, FIELD_COLUMNS)) counts.set(key, (counts.get(key) ?? 0) + 1)
    if (counts.size <= COUNTED_FIELDS) continue
    hasOthers = true
    for (const [key, count] of counts) {
      if (count > 1) counts.set(key, count - 1)
      else counts.delete(key)
    }
  }
  const keys = [...counts].sort(([, a], [, b]) => b - a).slice(0, FIELD_COLUMNS).map(([key]) => key)
  return { keys, hasOthers: hasOthers || counts.size > FIELD_COLUMNS }
}

/** Returns the value as it was sent, or the text of a choice */
function cellOf(answer: Answer): string {
  return answer.choices ? displayText(answer, {}) : fieldText(answer.value)
}

/** Audit trail; it has no form data. */
async function auditTable(store: SubmissionStore): Promise<ExportTable> {
  const lines = await orUnavailable(store.audit(ALL_LINES))
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
  for (const { at, receivedAt, ...line } of await orUnavailable(store.audit(ALL_LINES))) yield {
    ...line, at: iso(at), receivedAt: iso(receivedAt),
  }
}

/** Deliveries that failed or wait, with the beginning of the last answer; it has no form data. */
async function deliveryTable(context: Surroundings): Promise<ExportTable> {
  const columns = ['id', 'destination', 'state', 'at', 'attempts', 'status', 'answer']
  async function* rows(): AsyncGenerator<ExportRow> {
    for await (const { status, answer, ...line } of deliveryRecords(context)) {
      yield { ...line, status: status ?? '', answer: answer ?? '' }
    }
  }
  return { columns, rows: rows() }
}

async function* deliveryRecords(context: Surroundings) {
  for (const { id, destination, state, at, attempts, status, answer } of (await readLines(context)).lines) {
    yield { id, destination, state, at: iso(at), attempts, status, answer }
  }
}

function iso(epochMs: number): string {
  return new Date(epochMs).toISOString()
}

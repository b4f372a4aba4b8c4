import type { CardLocation, Problem, Row, RowPage, RowState } from '../../../shared/types/submissions'
import type { ReviewBoard } from '../../ports/board'
import type { SubmissionStore } from '../../ports/store'
import type { CardRef, Submission, Work } from '../../ports/submission'
import { StoreUnavailable } from '../errors'
import { visible } from '../../../shared/utils/text'
import { fieldText } from './fields'
import { needsPerson } from './store-rules'
import { inOrder, type Presentation, DELIVERY_NAMES } from './present'
import { isPending, outstanding } from './record'
import { searchFor } from './search'

export interface OverviewPorts {
  store: Pick<SubmissionStore, 'get' | 'listPending' | 'backlog'>
  board: Pick<ReviewBoard, 'label' | 'link'>
  presentation: Presentation
  runtime: { now: () => number }
}

/** Which submissions are asked for; by default all but those that are held. */
export interface Filter {
  state?: RowState
  /** A search, as `searchFor` has it. */
  q?: string
}

const PREVIEW_FIELDS = 4
const PREVIEW_LABEL = 40
const PREVIEW_VALUE = 160

/** Most pages of the store that one filtered page costs: with 50 rows a page, 1,000 submissions. */
const SCAN_READS = 20

/**
 * A page of pending submissions, newest first.
 *
 * What failed has an index; any other filter is applied by scanning, within bounds. Each read asks for no more than the
 * page has room for: so nothing
 * that was read is left over, and the store's cursor of the last read is exactly that of this page.
 *
 * @throws StoreUnavailable
 */
export async function listRows(
  { limit, before, ...filter }: Filter & { limit: number, before?: string }, ports: OverviewPorts,
): Promise<RowPage> {
  const now = ports.runtime.now()
  const found: Submission[] = []
  let cursor: string | null = before ?? null
  const passes = filtering(filter, ports)
  const only = filter.state === 'held' ? 'held' : filter.state === 'failed' ? 'stuck' : undefined
  let [total, scanned] = [0, 0]
  for (let reads = 0; reads < SCAN_READS && found.length < limit; reads++) {
    const page = await reached(
      ports.store.listPending({ limit: limit - found.length, only, ...cursor === null ? {} : { before: cursor } }),
    )
    total = page.total
    scanned += page.submissions.length
    cursor = page.cursor
    found.push(...page.submissions.filter(passes))
    if (cursor === null) break
  }
  return { now, rows: await Promise.all(found.map(submission => row(submission, ports))), total, cursor, scanned }
}

/** Those of these that are pending and pass the filter, for a page that heard of changes. @throws StoreUnavailable */
export async function pickRows(
  { ids, ...filter }: Filter & { ids: readonly string[] }, ports: OverviewPorts,
): Promise<Pick<RowPage, 'now' | 'rows' | 'total'>> {
  const { store, runtime } = ports
  const now = runtime.now()
  const held = filter.state === 'held'
  const counted = held
    ? store.listPending({ limit: 1, only: 'held' }).then(({ total }) => total)
    : store.backlog(now).then(({ pending }) => pending)
  const [total, found] = await reached(Promise.all([counted, Promise.all(ids.map(id => store.get(id)))]))
  const pending = found.filter(submission => submission !== null).filter(
    submission => held ? submission.state === 'held' : isPending(submission),
  )
    .filter(filtering(filter, ports))
  return { now, rows: await Promise.all(pending.map(submission => row(submission, ports))), total }
}

export function stateOf(submission: Submission): RowState {
  if (submission.state === 'held') return 'held'
  if (needsPerson(submission)) return 'failed'
  if (problemOf(submission, key => key)) return 'retrying'
  return submission.state === 'settling' ? 'delivering' : 'waiting'
}

/** What goes wrong with it now: what waits for a person, or else what is tried again soonest. */
export function problemOf(submission: Submission, label: (platform: string) => string): Problem | null {
  const last = needsPerson(submission) && submission.failures.at(-1)
  if (last) return { what: DELIVERY_NAMES[last.delivery], reason: last.reason, nextAttemptAt: null, refused: false }
  const failing = outstanding(submission).filter(({ reason }) => reason !== undefined).sort((a, b) => a.dueAt - b.dueAt)
  const worst = failing.find(({ refused }) => refused) ?? failing[0]
  if (!worst) return null
  const refused = worst.refused === true
  const what = refused ? `Could not be posted to ${label(worst.room!)}` : workName(worst, label)
  return { what, reason: worst.reason!, nextAttemptAt: worst.dueAt, refused }
}

/** `Email`, `Card on Slack`: what a piece of work is about. */
export function workName(
  { kind, room, card }: Pick<Work, 'kind' | 'room' | 'card'>, label: (platform: string) => string,
): string {
  if (kind === 'email' || kind === 'endpoint') return DELIVERY_NAMES[kind]
  const where = label(room ?? card?.platform ?? '')
  return { post: `Card on ${where}`, update: `Card update on ${where}`, remind: `Reminder on ${where}` }[kind]
}

export async function cardLocations(
  cards: readonly CardRef[], { board }: Pick<OverviewPorts, 'board'>,
): Promise<CardLocation[]> {
  return Promise.all(cards.map(async card => ({ platform: board.label(card.platform), url: await board.link(card) })))
}

/** @throws StoreUnavailable when the store does not answer */
export function reached<T>(answer: Promise<T>): Promise<T> {
  return answer.catch((error) => {
    throw new StoreUnavailable(
      error, 'The store does not answer. Nothing was changed as far as we know; try again in a moment.',
    )
  })
}

async function row(submission: Submission, ports: OverviewPorts): Promise<Row> {
  const { id, receivedAt, expiresAt, data, cards } = submission
  const form = ports.presentation.forms.of(submission.form)
  const entries = Object.entries(data ?? {})
  const fields = inOrder(entries.map(([label, value]) => ({ label, value })), form.labels)
  return {
    id, receivedAt, expiresAt,
    state: stateOf(submission),
    form: form.name ?? null,
    preview: fields.slice(0, PREVIEW_FIELDS).map(
      ({ label, value }) => ({ label: cut(label, PREVIEW_LABEL), value: cut(fieldText(value), PREVIEW_VALUE) }),
    ),
    more: Math.max(0, entries.length - PREVIEW_FIELDS),
    erased: data === null,
    cards: await cardLocations(cards, ports),
    problem: problemOf(submission, ports.board.label),
  }
}

function filtering(
  { state, q = '' }: Filter, { presentation: { forms } }: OverviewPorts,
): (submission: Submission) => boolean {
  const isFound = searchFor(q, forms)
  return submission => (!state || stateOf(submission) === state) && isFound(submission)
}

/** In one line, and no longer than this. */
function cut(text: string, length: number): string {
  // Only as much is looked at as can matter: a value may have a quarter of a million characters.
  const line = visible(text.slice(0, 4 * length).toWellFormed()).replace(/\s+/g, ' ').trim()
  return line.length > length || text.length > 4 * length
    ? `${line.slice(0, length - 1).toWellFormed().trimEnd()}…`
    : line
}

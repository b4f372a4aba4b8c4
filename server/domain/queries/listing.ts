import {
  type HolderFilter, type RowPage, type RowState, type Sort, type Row, HOLDERS, ROW_STATES, type Counts,
} from '../../../shared/types/submissions'
import { cursorAt, readCursor } from '../../../shared/utils/cursor'
import { type PageRequest, type PendingPage, TRACE_TTL_MS, type SubmissionStore } from '../../ports/store'
import type { Submission, AuditLine } from '../../ports/submission'
import { InvalidRequest } from '../errors'
import { getAll, holderLine, orUnavailable, listRow, stateOf, type OverviewPorts } from './rows'
import { endedOf, endLine } from '../cards/card-view'
import { listOf, SUBMISSION_TTL_MS } from '../lifecycle/record'
import { searchFor } from './search'

/** Which submissions are asked for; by default all that are pending. */
export interface Filter {
  state?: RowState
  /** A search, as `searchFor` has it. */
  q?: string
  holder?: HolderFilter
  /** Who asks, by `identityOf`. */
  who?: string
  /** Key of the form; `DEFAULT_FORM` for the default one. */
  form?: string
  /** Key of a platform on which it has a card. */
  platform?: string
}

export interface Listing extends Filter {
  limit: number
  /** Cursor of the page above. */
  before?: string
  sort?: Sort
  /** Instead of rows, the ids of all that are found within the time of one answer, however many. */
  only?: 'ids'
}

/** No form has this key: they begin with a letter or a digit. */
const DEFAULT_FORM = '-'

/** So long is searched for one answer, ms: whoever waits for the rest asks again from the cursor. */
const BUDGET_MS = 100

/** Submissions that are read at once, at most: a form may have 256 KiB. */
const MOST_READ = 200

/** A read that took less is followed by a larger one, one that took more by a smaller one, ms. */
const QUICK_MS = 10

/**
 * A page of pending submissions, by when they came in.
 *
 * What failed has an index, and what somebody has; any other filter is applied by reading, as far as the budget goes.
 * The cursor stands below the last submission that was looked at, so that none is left out and none comes twice.
 *
 * @throws StoreUnavailable
 */
export async function listRows(
  { limit, before, sort, only, ...filter }: Listing, ports: OverviewPorts,
): Promise<RowPage> {
  const { store, runtime } = ports
  const now = runtime.now()
  const revision = await orUnavailable(store.revision())
  const passes = filtering(filter, ports)
  const most = only === 'ids' ? Infinity : limit
  const found: Submission[] = []
  const ids: string[] = []
  const unreadable = new Set<string>()
  let [scanned, size] = [0, limit]
  let cursor: string | null = before ?? null
  let page: PendingPage
  do {
    const startedAt = runtime.now()
    page = await orUnavailable(
      store.listPending({ limit: size, sort, only: indexOf(filter), ...cursor === null ? {} : { before: cursor } }),
    )
    cursor = page.cursor
    for (const id of page.unreadable ?? []) unreadable.add(id)
    for (const [position, submission] of page.submissions.entries()) {
      scanned++
      if (!passes(submission)) continue
      ids.push(submission.id)
      if (only !== 'ids') found.push(submission)
      if (ids.length < most) continue
      const isLast = position === page.submissions.length - 1
      if (!isLast) cursor = cursorAt(submission.receivedAt, submission.id)
      break
    }
    size = runtime.now() - startedAt < QUICK_MS ? Math.min(2 * size, MOST_READ) : Math.max(limit, size >> 1)
  } while (cursor !== null && ids.length < most && runtime.now() - now < BUDGET_MS)
  const rows = await Promise.all(found.map(submission => listRow(submission, ports)))
  return {
    now, revision, rows, found: ids, total: page.total, cursor, scanned,
    ...unreadable.size > 0 && { unreadable: [...unreadable] },
  }
}

/** The index that has all that passes the filter, where there is one. */
function indexOf({ state, holder }: Filter): PageRequest['only'] {
  if (state === 'held' || state === 'spam') return state
  if (holder === 'mine' || holder === 'taken') return 'taken'
  return state === 'failed' ? 'stuck' : undefined
}

/** Those of these that are pending and pass the filter, for a page that heard of changes. @throws StoreUnavailable */
export async function pickRows(
  { ids, ...filter }: Filter & { ids: readonly string[] }, ports: OverviewPorts,
): Promise<Pick<RowPage, 'now' | 'rows' | 'found' | 'total'>> {
  const { store, runtime } = ports
  const now = runtime.now()
  const list = filter.state === 'held' || filter.state === 'spam' ? filter.state : 'pending'
  const counted = list !== 'pending'
    ? store.listPending({ limit: 1, only: list }).then(({ total }) => total)
    : store.backlog(now).then(({ pending }) => pending)
  const [total, read] = await orUnavailable(Promise.all([counted, getAll(store, ids)]))
  const found = read.filter(submission => listOf(submission) === list).filter(filtering(filter, ports))
  const rows = await Promise.all(found.map(submission => listRow(submission, ports)))
  return { now, rows, found: found.map(({ id }) => id), total }
}

function filtering(
  { state, q = '', holder: asked, who, form, platform }: Filter, ports: OverviewPorts,
): (submission: Submission) => boolean {
  const isFound = searchFor(q, ports.presentation.forms)
  const isAsked = (submission: Submission) => {
    const holder = holderLine(submission, ports) && submission.holder
    return asked === 'free' ? !holder : asked === 'mine' ? holder?.who === who : holder !== null
  }
  return submission => (
    (!state || stateOf(submission) === state) && (!asked || isAsked(submission))
    && (form === undefined || (submission.form ?? DEFAULT_FORM) === form)
    && (platform === undefined || submission.cards.some(card => card.platform === platform)) && isFound(submission)
  )
}

export interface DonePorts extends OverviewPorts {
  store: OverviewPorts['store'] & Pick<SubmissionStore, 'audit'>
  revocableMs: { spam: number }
}

/** Lines of the audit trail that are read to be counted. */
const COUNTED = 1000

/**
 * A page of what is over and has a trace, by its end; `before` is the cursor of the page above. As far as the budget
 * goes, it is filtered.
 */
export async function listDone({ limit, before, sort, ...filter }: Listing, ports: DonePorts): Promise<RowPage> {
  const now = ports.runtime.now()
  const revision = await orUnavailable(ports.store.revision())
  const latest = endsIn(await orUnavailable(ports.store.audit(Infinity, now - TRACE_TTL_MS)), now, ports)
  const ends = sort === 'oldest' ? latest.toReversed() : latest
  const isFound = filtering(filter, ports)
  const from = before === undefined ? 0 : ends.filter(isAbove(before, sort)).length
  const found: Submission[] = []
  let at = from
  do {
    const read = ends.slice(at, at + limit - found.length)
    found.push(...(await readDone(read.map(({ id }) => id), ports)).filter(isFound))
    at += read.length
  } while (at < ends.length && found.length < limit && ports.runtime.now() - now < BUDGET_MS)
  const rows = await Promise.all(found.map(submission => doneRow(submission, ports)))
  const cursor = at < ends.length ? cursorOf(ends[at - 1]!) : null
  return { now, revision, rows, found: found.map(({ id }) => id), total: ends.length, cursor, scanned: at - from }
}

/** How many are over and have a trace; null when the audit trail says more of that time than is read to be counted. */
export async function countDone(ports: DonePorts): Promise<number | null> {
  const now = ports.runtime.now()
  const lines = await orUnavailable(ports.store.audit(COUNTED, now - TRACE_TTL_MS))
  return lines.length < COUNTED ? endsIn(lines, now, ports).length : null
}

/** By when it ended, because a submission may come to another end. */
const cursorOf = ({ at, id }: AuditLine) => cursorAt(at, id)

/** Whether an end stands in a page above: it is the last one there, or came before that in the order of the list. */
function isAbove(cursor: string, sort: Listing['sort']): (end: AuditLine) => boolean {
  const last = readCursor(cursor)
  if (!last) throw new InvalidRequest('before: must be the cursor of a page.')
  return ({ at, id }) => {
    const later = at - last.at || (id === last.id ? 0 : id > last.id ? 1 : -1)
    return sort === 'oldest' ? later <= 0 : later >= 0
  }
}

/** The ends of the time for which a trace is kept, the latest first; spam that may be taken back is not over. */
function endsIn(lines: readonly AuditLine[], now: number, { revocableMs }: DonePorts): AuditLine[] {
  const isKept = ({ outcome, at, receivedAt }: AuditLine) => (
    outcome === 'spam' && now < Math.min(at + revocableMs.spam, receivedAt + SUBMISSION_TTL_MS)
  )
  return endedOf(lines).filter(line => line.at > now - TRACE_TTL_MS && !isKept(line))
}

async function readDone(ids: readonly string[], { store }: DonePorts): Promise<Submission[]> {
  return (await orUnavailable(getAll(store, ids))).filter(submission => stateOf(submission) === 'done')
}

async function doneRow(submission: Submission, ports: DonePorts): Promise<Row> {
  return { ...await listRow(submission, ports), ending: endLine(submission) }
}

/** A list with more than these is not read to be counted: that would take longer than anybody waits for a number. */
const MOST_COUNTED = 1000

/** Submissions that are read at once: a form may have 256 KiB. */
const PAGE = 200

/**
 * How many submissions each choice of the filter would list, the rest of the filter as it is. Lists of up to 1,000 are
 * read; of a longer one is known how long it is, what stands in a shorter index of it, and what that leaves.
 *
 * @throws StoreUnavailable
 */
export async function countChoices(filter: Filter, ports: DonePorts): Promise<Counts> {
  const { store, board, runtime, presentation: { forms } } = ports
  const { state: listed, q, form, platform, holder } = filter
  const isPlain = !q && form === undefined && platform === undefined
  const read = (list: Index) => readList(list, filter, ports)
  const [pending, held, spam, done, backlog] = await Promise.all([
    read('pending'), read('held'), read('spam'), isPlain && !holder ? countDone(ports) : null,
    orUnavailable(store.backlog(runtime.now())),
  ])
  const [stuck, taken] = pending.found ? [pending, pending] : await Promise.all([read('stuck'), read('taken')])
  const lists = { pending, held, spam, stuck: { ...stuck, total: backlog.stuck }, taken }
  const count = (choice: Filter): number | null => {
    const index = indexOf(choice)
    const { total, found } = lists[index ?? 'pending']
    if (found) return found.filter(filtering({ ...choice, q: undefined }, ports)).length
    const { state, holder, form, platform } = choice
    if (q || form !== undefined || platform !== undefined) return null
    if (!holder) return state && index === undefined ? null : total
    // Free is what nobody has.
    const taken = holder === 'free' && !state ? count({ holder: 'taken' }) : null
    return taken === null ? null : total - taken
  }
  const stateCount = (state: RowState): number | null => {
    if (state === 'done') return done
    return count({ ...filter, state, ...(state === 'held' || state === 'spam') && { holder: undefined } })
  }
  const choiceCount = (choice: Filter) => listed === 'done' ? null : count({ ...filter, ...choice })
  const platforms = [...new Set(forms.rooms.map(room => room.split('/')[0]!))]
  return {
    states: {
      all: count({ ...filter, state: undefined }),
      ...Object.fromEntries(ROW_STATES.map(state => [state, stateCount(state)])) as Record<RowState, number | null>,
    },
    holders: Object.fromEntries(HOLDERS.map(holder => [holder, choiceCount({ holder })])) as Record<
      HolderFilter, number | null
    >,
    forms: forms.all.map(({ key = DEFAULT_FORM, name }) => (
      { key, label: name ?? 'Default form', count: choiceCount({ form: key }) }
    )),
    platforms: platforms.map(key => ({ key, label: board.label(key), count: choiceCount({ platform: key }) })),
  }
}

interface Counted {
  /** How long the list is. */
  total: number
  /** What a search finds in it; null when it is too long to be read. */
  found: Submission[] | null
}

/** A list of the store, or an index of what is pending. */
type Index = 'pending' | NonNullable<PageRequest['only']>

async function readList(list: Index, { q }: Filter, ports: DonePorts): Promise<Counted> {
  const isFound = filtering({ q }, ports)
  const only = list === 'pending' ? undefined : list
  const isIndex = list === 'stuck' || list === 'taken'
  const found: Submission[] = []
  let seen = 0
  for (let before: string | undefined; ;) {
    const page = await orUnavailable(ports.store.listPending({ limit: PAGE, only, before }))
    seen += page.submissions.length
    if ((isIndex ? seen : page.total) > MOST_COUNTED) return { total: page.total, found: null }
    found.push(...page.submissions.filter(isFound))
    if (page.cursor === null) return { total: page.total, found }
    before = page.cursor
  }
}

import { SUBMISSION_TTL_MS, TRACE_TTL_MS } from '../../../shared/lifetimes'
import {
  type HolderFilter, type RowPage, type RowState, type Sort, type Row, HOLDERS, ROW_STATES, type Counts,
} from '../../../shared/types/submissions'
import { cursorAt, readCursor } from '../../../shared/utils/cursor'
import type { Index, PendingPage } from '../../ports/store'
import type { Submission, AuditLine } from '../../ports/submission'
import type { Context } from '../context'
import { InvalidRequest } from '../errors'
import { getAll, holderLine, orUnavailable, listRow, stateOf } from './rows'
import { endedOf, endLine } from '../cards/card-view'
import { listOf } from '../lifecycle/record'
import { searchFor } from './search'

/** Filter for submissions; by default all pending ones match. */
export interface Filter {
  state?: RowState
  /** Search text for `searchFor`. */
  q?: string
  holder?: HolderFilter
  /** Person who makes the request, from `identityOf`. */
  who?: string
  /** Key of the form; `DEFAULT_FORM` for the default form. */
  form?: string
  /** Key of a platform on which it has a card. */
  platform?: string
}

export interface Listing extends Filter {
  limit: number
  /** Cursor of the previous page. */
  before?: string
  sort?: Sort
  /** Returns ids instead of rows: as many as the time budget allows, without `limit`. */
  only?: 'ids'
}

/** Stands for the default form. No other form has this key, because keys begin with a letter or a digit. */
const DEFAULT_FORM = '-'

/** Time budget of one answer, ms: clients request the rest with the cursor. */
const BUDGET_MS = 100

/** Max submissions read at a time: a form may have 256 KiB. */
const MOST_READ = 200

/** Target time of one read, ms: after a faster read the next one is larger, after a slower read it is smaller. */
const QUICK_MS = 10

/**
 * Returns a page of pending submissions, by time of arrival.
 *
 * Failed and assigned submissions have an index. For other filters, reads and checks submissions until the time budget
 * is used up. The cursor points to the last checked submission, so that none is left out or listed twice.
 *
 * @throws StoreUnavailable
 */
export async function listRows(
  { limit, before, sort, only, ...filter }: Listing, context: Context,
): Promise<RowPage> {
  const { store, runtime } = context
  const now = runtime.now()
  const revision = await orUnavailable(store.revision())
  const isMatch = matcherFor(filter, context)
  const maxFound = only === 'ids' ? Infinity : limit
  const matches: Submission[] = []
  const ids: string[] = []
  const unreadable = new Set<string>()
  let [scannedCount, pageSize] = [0, limit]
  let cursor: string | null = before ?? null
  let page: PendingPage
  do {
    const startedAt = runtime.now()
    page = await orUnavailable(
      store.listPending({ limit: pageSize, sort, only: indexOf(filter), ...cursor === null ? {} : { before: cursor } }),
    )
    cursor = page.cursor
    for (const id of page.unreadable ?? []) unreadable.add(id)
    for (const [position, submission] of page.submissions.entries()) {
      scannedCount++
      if (!isMatch(submission)) continue
      ids.push(submission.id)
      if (only !== 'ids') matches.push(submission)
      if (ids.length < maxFound) continue
      const isLast = position === page.submissions.length - 1
      if (!isLast) cursor = cursorAt(submission.receivedAt, submission.id)
      break
    }
    pageSize = runtime.now() - startedAt < QUICK_MS ? Math.min(2 * pageSize, MOST_READ) : Math.max(limit, pageSize >> 1)
  } while (cursor !== null && ids.length < maxFound && runtime.now() - now < BUDGET_MS)
  const rows = await Promise.all(matches.map(submission => listRow(submission, context)))
  return {
    now, revision, rows, found: ids, total: page.total, cursor, scanned: scannedCount,
    ...unreadable.size > 0 && { unreadable: [...unreadable] },
  }
}

/** Other list, or index of pending submissions, for a filter of the list. */
type ListIndex = Exclude<Index, 'retrying'> | 'held' | 'spam'

/** Returns the index that contains all matches of the filter; undefined if there is none. */
function indexOf({ state, holder }: Filter): ListIndex | undefined {
  if (state === 'held' || state === 'spam') return state
  if (holder === 'mine' || holder === 'taken') return 'taken'
  return state === 'failed' ? 'stuck' : undefined
}

/**
 * Returns the submissions with these ids that still match the filter, for a page that received changes. @throws
 * StoreUnavailable
 */
export async function pickRows(
  { ids, ...filter }: Filter & { ids: readonly string[] }, context: Context,
) {
  const { store, runtime } = context
  const now = runtime.now()
  const list = filter.state === 'held' || filter.state === 'spam' ? filter.state : 'pending'
  const totalCount = list !== 'pending'
    ? store.listPending({ limit: 1, only: list }).then(({ total }) => total)
    : store.backlog(now).then(({ pending }) => pending)
  const [total, submissions] = await orUnavailable(Promise.all([totalCount, getAll(store, ids)]))
  const matches = submissions.filter(submission => listOf(submission) === list).filter(matcherFor(filter, context))
  const rows = await Promise.all(matches.map(submission => listRow(submission, context)))
  return { now, rows, found: matches.map(({ id }) => id), total }
}

function matcherFor(
  { state, q = '', holder: holderFilter, who, form, platform }: Filter, context: Context,
): (submission: Submission) => boolean {
  const isSearchMatch = searchFor(q, context.forms)
  const isHolderMatch = (submission: Submission) => {
    const holder = holderLine(submission, context) && submission.holder
    return holderFilter === 'free' ? !holder : holderFilter === 'mine' ? holder?.who === who : holder !== null
  }
  return submission => (
    (!state || stateOf(submission) === state) && (!holderFilter || isHolderMatch(submission))
    && (form === undefined || (submission.form ?? DEFAULT_FORM) === form)
    && (platform === undefined || submission.cards.some(card => card.platform === platform))
    && isSearchMatch(submission)
  )
}

/** Max audit lines read for a count. */
const MAX_COUNTED_LINES = 1000

/**
 * Returns a page of ended submissions with a trace, by time of their end; `before` is the cursor of the previous page.
 * Filters submissions until the time budget is used up.
 */
export async function listDone({ limit, before, sort, ...filter }: Listing, context: Context): Promise<RowPage> {
  const now = context.runtime.now()
  const revision = await orUnavailable(context.store.revision())
  const latestEnds = endsIn(await orUnavailable(context.store.audit(Infinity, now - TRACE_TTL_MS)), now, context)
  const ends = sort === 'oldest' ? latestEnds.toReversed() : latestEnds
  const isMatch = matcherFor(filter, context)
  const startIndex = before === undefined ? 0 : ends.filter(isAbove(before, sort)).length
  const matches: Submission[] = []
  let index = startIndex
  do {
    const pageEnds = ends.slice(index, index + limit - matches.length)
    matches.push(...(await readDone(pageEnds.map(({ id }) => id), context)).filter(isMatch))
    index += pageEnds.length
  } while (index < ends.length && matches.length < limit && context.runtime.now() - now < BUDGET_MS)
  const rows = await Promise.all(matches.map(submission => doneRow(submission, context)))
  const cursor = index < ends.length ? cursorOf(ends[index - 1]!) : null
  return {
    now, revision, rows, found: matches.map(({ id }) => id), total: ends.length, cursor, scanned: index - startIndex,
  }
}

/** Counts the ended submissions with a trace; null if the audit trail has too many lines to count. */
export async function countDone(context: Context): Promise<number | null> {
  const now = context.runtime.now()
  const lines = await orUnavailable(context.store.audit(MAX_COUNTED_LINES, now - TRACE_TTL_MS))
  return lines.length < MAX_COUNTED_LINES ? endsIn(lines, now, context).length : null
}

/** Cursor with the time of the end, because a submission may end several times. */
const cursorOf = ({ at, id }: AuditLine) => cursorAt(at, id)

/** Returns a check if an end is on a previous page: at the cursor, or before it in the order of the list. */
function isAbove(cursor: string, sort: Listing['sort']): (end: AuditLine) => boolean {
  const lastEnd = readCursor(cursor)
  if (!lastEnd) throw new InvalidRequest('before: must be the cursor of a page.')
  return ({ at, id }) => {
    const order = at - lastEnd.at || (id === lastEnd.id ? 0 : id > lastEnd.id ? 1 : -1)
    return sort === 'oldest' ? order <= 0 : order >= 0
  }
}

/** Returns ends within the lifetime of traces, latest first, without spam that can still be undone. */
function endsIn(lines: readonly AuditLine[], now: number, { revocableMs }: Context): AuditLine[] {
  const isRevocableSpam = ({ outcome, at, receivedAt }: AuditLine) => (
    outcome === 'spam' && now < Math.min(at + revocableMs.spam, receivedAt + SUBMISSION_TTL_MS)
  )
  return endedOf(lines).filter(line => line.at > now - TRACE_TTL_MS && !isRevocableSpam(line))
}

async function readDone(ids: readonly string[], { store }: Context): Promise<Submission[]> {
  return (await orUnavailable(getAll(store, ids))).filter(submission => stateOf(submission) === 'done')
}

async function doneRow(submission: Submission, context: Context): Promise<Row> {
  return { ...await listRow(submission, context), ending: endLine(submission) }
}

/** Max length of a list that is read for a count: longer lists would take too long. */
const MOST_COUNTED = 1000

/** Submissions read at a time; few, because a form may have 256 KiB. */
const PAGE = 200

/**
 * Counts the submissions for each choice of one filter, with the other filters unchanged. Reads lists of up to 1,000
 * submissions. For longer lists, computes counts from their length and from shorter indexes.
 *
 * @throws StoreUnavailable
 */
export async function countChoices(filter: Filter, context: Context): Promise<Counts> {
  const { store, board, runtime, forms } = context
  const { state: listedState, q, form, platform, holder } = filter
  const isPlain = !q && form === undefined && platform === undefined
  const readIndex = (list: 'pending' | ListIndex) => readList(list, filter, context)
  const [pending, held, spam, doneCount, backlog] = await Promise.all([
    readIndex('pending'), readIndex('held'), readIndex('spam'), isPlain && !holder ? countDone(context) : null,
    orUnavailable(store.backlog(runtime.now())),
  ])
  const [stuck, taken] = pending.found
    ? [pending, pending]
    : await Promise.all([readIndex('stuck'), readIndex('taken')])
  const lists = { pending, held, spam, stuck: { ...stuck, total: backlog.stuck }, taken }
  const countMatches = (choice: Filter): number | null => {
    const index = indexOf(choice)
    const { total, found: matches } = lists[index ?? 'pending']
    if (matches) return matches.filter(matcherFor({ ...choice, q: undefined }, context)).length
    const { state, holder, form, platform } = choice
    if (q || form !== undefined || platform !== undefined) return null
    if (!holder) return state && index === undefined ? null : total
    // The rest of the list has no assignee.
    const takenCount = holder === 'free' && !state ? countMatches({ holder: 'taken' }) : null
    return takenCount === null ? null : total - takenCount
  }
  const countState = (state: RowState): number | null => {
    if (state === 'done') return doneCount
    return countMatches({ ...filter, state, ...(state === 'held' || state === 'spam') && { holder: undefined } })
  }
  const countChoice = (choice: Filter) => listedState === 'done' ? null : countMatches({ ...filter, ...choice })
  const platforms = [...new Set(forms.rooms.map(room => room.split('/')[0]!))]
  return {
    states: {
      all: countMatches({ ...filter, state: undefined }),
      ...Object.fromEntries(ROW_STATES.map(state => [state, countState(state)])) as Record<RowState, number | null>,
    },
    holders: Object.fromEntries(HOLDERS.map(holder => [holder, countChoice({ holder })])) as Record<
      HolderFilter, number | null
    >,
    forms: forms.all.map(({ key = DEFAULT_FORM, name }) => (
      { key, label: name ?? 'Default form', count: countChoice({ form: key }) }
    )),
    platforms: platforms.map(key => ({ key, label: board.label(key), count: countChoice({ platform: key }) })),
  }
}

interface CountedList {
  /** Length of the list. */
  total: number
  /** Search results in the list; null if it is too long to read. */
  found: Submission[] | null
}

async function readList(list: 'pending' | ListIndex, { q }: Filter, context: Context): Promise<CountedList> {
  const isMatch = matcherFor({ q }, context)
  const only = list === 'pending' ? undefined : list
  const isIndex = list === 'stuck' || list === 'taken'
  const matches: Submission[] = []
  let seenCount = 0
  for (let before: string | undefined; ;) {
    const page = await orUnavailable(context.store.listPending({ limit: PAGE, only, before }))
    seenCount += page.submissions.length
    if ((isIndex ? seenCount : page.total) > MOST_COUNTED) return { total: page.total, found: null }
    matches.push(...page.submissions.filter(isMatch))
    if (page.cursor === null) return { total: page.total, found: matches }
    before = page.cursor
  }
}

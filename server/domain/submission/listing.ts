import type { HolderFilter, RowPage, RowState, Sort } from '../../../shared/types/submissions'
import { cursorAt } from '../../../shared/utils/cursor'
import type { PageRequest, PendingPage } from '../../ports/store'
import type { Submission } from '../../ports/submission'
import { getAll, holderLine, reached, row, stateOf, type OverviewPorts } from './overview'
import { searchFor } from './search'
import { listOf } from './store-rules'

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
export const DEFAULT_FORM = '-'

/** So long is searched for one answer, ms: whoever waits for the rest asks again from the cursor. */
export const BUDGET_MS = 100

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
  const revision = await reached(store.revision())
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
    page = await reached(
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
  const rows = await Promise.all(found.map(submission => row(submission, ports)))
  return {
    now, revision, rows, found: ids, total: page.total, cursor, scanned,
    ...unreadable.size > 0 && { unreadable: [...unreadable] },
  }
}

/** The index that has all that passes the filter, where there is one. */
export function indexOf({ state, holder }: Filter): PageRequest['only'] {
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
  const [total, read] = await reached(Promise.all([counted, getAll(store, ids)]))
  const found = read.filter(submission => listOf(submission) === list).filter(filtering(filter, ports))
  const rows = await Promise.all(found.map(submission => row(submission, ports)))
  return { now, rows, found: found.map(({ id }) => id), total }
}

export function filtering(
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

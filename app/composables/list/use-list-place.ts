import type { LocationQuery, RouteLocationRaw } from 'vue-router'

export type ListName = 'pending' | 'held' | 'spam' | 'done'

export const LIST_LABELS: Readonly<Record<ListName, string>> = {
  pending: 'Pending submissions', held: 'Held submissions', spam: 'Spam', done: 'Submissions that are done',
}

/** What of all submissions is listed, and in which order. */
export interface ListFilter {
  state?: RowState
  holder?: HolderFilter
  /** Key of a form, or of a platform on which there is a card. */
  form?: string
  platform?: string
  /** The newest first when absent. */
  sort?: 'oldest'
  /** What is searched for. */
  q?: string
}

/** As the search takes it. */
const MOST_TEXT = 200

export function listNameFor(state: RowState | undefined): ListName {
  return state === 'held' || state === 'spam' || state === 'done' ? state : 'pending'
}

/** Whether anything is left out of the list. */
export function isFiltered({ sort, state, ...filter }: ListFilter): boolean {
  return Object.values({ ...filter, state: listNameFor(state) === state ? undefined : state }).some(Boolean)
}

/** Where the list is with this filter. Only what is pending is anybody's. */
export function listAt({ holder, ...filter }: ListFilter) {
  return { path: '/', query: { ...filter, ...listNameFor(filter.state) === 'pending' && { holder } } }
}

/** Where the list was left, for the way back. */
export const useLastList = () => useState<RouteLocationRaw>('list-place', () => '/')

/**
 * Filter and page of the list stand in the address: whoever reloads it, goes back to it or opens its link sees the
 * same. The cursors of the pages above stand beside it, with the browser: a page that was opened by its link has none.
 */
export function useListPlace() {
  const [route, router] = [useRoute(), useRouter()]
  const filter = computed<ListFilter>(oldFilter => same(oldFilter, filterIn(route.query)))
  const before = computed(() => textIn(route.query, 'before'))
  const number = computed(() => {
    const given = Number(route.query.page)
    return before.value && Number.isSafeInteger(given) && given > 1 ? given : 1
  })
  const above = (): string[] => Array.isArray(history.state?.above) ? history.state.above : []

  /** @param how what is being typed is no step to go back to */
  function choose(next: ListFilter, how: 'push' | 'replace' = 'push') {
    void router[how](listAt(next))
  }

  function turn(cursor: string | undefined, page: number, cursors: string[]) {
    void router.push({
      path: '/', query: { ...listAt(filter.value).query, ...cursor && { before: cursor, page } },
      state: { above: cursors },
    })
  }
  const first = () => choose(filter.value)
  const older = (cursor: string) => turn(cursor, number.value + 1, [...above(), before.value ?? ''])
  const newer = () => turn(above().at(-1), above().length > 1 ? number.value - 1 : 1, above().slice(0, -1))

  const last = useLastList()
  watch(() => route.fullPath, () => {
    if (route.path === '/') last.value = markRaw({ path: '/', query: route.query, state: { above: above() } })
  }, { immediate: true })
  return { filter, before, number, choose, first, older, newer }
}

/** The filter that an address has; what it says of other things, or wrongly, is left out. */
function filterIn(query: LocationQuery): ListFilter {
  const state = ROW_STATES.find(each => each === query.state)
  return {
    state,
    holder: listNameFor(state) === 'pending' ? HOLDERS.find(each => each === query.holder) : undefined,
    form: textIn(query, 'form'),
    platform: textIn(query, 'platform'),
    sort: query.sort === 'oldest' ? 'oldest' : undefined,
    q: textIn(query, 'q')?.trim().slice(0, MOST_TEXT) || undefined,
  }
}

function textIn(query: LocationQuery, name: string): string | undefined {
  const value = query[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** The old one as long as it says the same, so that nobody takes it for a change. */
function same(old: ListFilter | undefined, now: ListFilter): ListFilter {
  return JSON.stringify(old) === JSON.stringify(now) ? old! : now
}

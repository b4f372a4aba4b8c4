import type { LocationQuery, RouteLocationRaw } from 'vue-router'

export type ListName = 'pending' | 'held' | 'spam' | 'done'

export const LIST_LABELS: Readonly<Record<ListName, string>> = {
  pending: 'Pending submissions', held: 'Held submissions', spam: 'Spam', done: 'Submissions that are done',
}

/** Filter and order of the list */
export interface ListFilter {
  state?: RowState
  holder?: HolderFilter
  /** Key of a form. `platform`: key of a platform that has a card */
  form?: string
  platform?: string
  /** Newest first if absent */
  sort?: 'oldest'
  /** Search text */
  q?: string
}

/** Limit of the search API, in characters */
const MAX_TEXT = 200

export function listNameFor(state: RowState | undefined): ListName {
  return state === 'held' || state === 'spam' || state === 'done' ? state : 'pending'
}

/** True if the filter excludes anything from the list. */
export function isFiltered({ sort, state, ...filter }: ListFilter): boolean {
  return Object.values({ ...filter, state: listNameFor(state) === state ? undefined : state }).some(Boolean)
}

/** Returns the list's address for a filter. Only pending submissions have an assignee. */
export function listAt({ holder, ...filter }: ListFilter) {
  return { path: '/', query: { ...filter, ...listNameFor(filter.state) === 'pending' && { holder } } }
}

/** Address of the list when it was left, for the way back */
export const useLastList = () => useState<RouteLocationRaw>('list-place', () => '/')

/**
 * Filter and page of the list, kept in the address: a reload, a step back or a shared link shows the same. The cursors
 * of earlier pages are in the browser's history state, which is empty in a page opened by a link.
 */
export function useListPlace() {
  const [route, router] = [useRoute(), useRouter()]
  const filter = computed<ListFilter>(oldFilter => keepIfEqual(oldFilter, filterIn(route.query)))
  const before = computed(() => textIn(route.query, 'before'))
  const number = computed(() => {
    const requestedPage = Number(route.query.page)
    return before.value && Number.isSafeInteger(requestedPage) && requestedPage > 1 ? requestedPage : 1
  })
  const cursorsAbove = (): string[] => Array.isArray(history.state?.above) ? history.state.above : []

  /** @param how `replace` while text is typed, so that the Back button skips it */
  function choose(newFilter: ListFilter, how: 'push' | 'replace' = 'push') {
    void router[how](listAt(newFilter))
  }

  function turn(cursor: string | undefined, page: number, cursors: string[]) {
    void router.push({
      path: '/', query: { ...listAt(filter.value).query, ...cursor && { before: cursor, page } },
      state: { above: cursors },
    })
  }
  const first = () => choose(filter.value)
  const older = (cursor: string) => turn(cursor, number.value + 1, [...cursorsAbove(), before.value ?? ''])
  const newer = () => (
    turn(cursorsAbove().at(-1), cursorsAbove().length > 1 ? number.value - 1 : 1, cursorsAbove().slice(0, -1))
  )

  const lastList = useLastList()
  watch(() => route.fullPath, () => {
    if (route.path !== '/') return
    lastList.value = markRaw({ path: '/', query: route.query, state: { above: cursorsAbove() } })
  }, { immediate: true })
  return { filter, before, number, choose, first, older, newer }
}

/** Reads the filter from an address; ignores other parameters and invalid values. */
function filterIn(query: LocationQuery): ListFilter {
  const state = ROW_STATES.find(each => each === query.state)
  return {
    state,
    holder: listNameFor(state) === 'pending' ? HOLDERS.find(each => each === query.holder) : undefined,
    form: textIn(query, 'form'),
    platform: textIn(query, 'platform'),
    sort: query.sort === 'oldest' ? 'oldest' : undefined,
    q: textIn(query, 'q')?.trim().slice(0, MAX_TEXT) || undefined,
  }
}

function textIn(query: LocationQuery, name: string): string | undefined {
  const value = query[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** Returns the old filter if both are equal, so that watchers see no change. */
function keepIfEqual(oldFilter: ListFilter | undefined, newFilter: ListFilter): ListFilter {
  return JSON.stringify(oldFilter) === JSON.stringify(newFilter) ? oldFilter! : newFilter
}

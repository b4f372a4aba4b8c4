import { useTimeoutFn } from '@vueuse/core'
import { isFiltered, listNameFor, useListPlace, type ListName } from './use-list-place'

/** Page with its list and filter, which may differ from those being loaded */
interface ShownPage extends RowPage { list: ListName, filter: ListFilter }

/** Known results of a filter, on all pages */
interface Search {
  /** The filter, as JSON */
  of: string
  ids: Set<string>
  /** Number of submissions searched */
  scanned: number
  /** Cursor to continue from; null when all were searched */
  cursor: string | null | undefined
}

const PAGE_ROWS = 50
/** Row limits of the first page: arrivals beyond `MAX_ROWS` push out old rows; below `MIN_ROWS` it is filled up. */
const [MAX_ROWS, MIN_ROWS] = [100, 25]
/** Search results beyond this number are not all read; the page says that there are more. */
const MAX_RESULTS = 1000
const TYPING_MS = 250
/** List without a filter. pages/index.vue declares the same address, so the browser has preloaded it. */
const [FIRST_PLACE, FIRST_PAGE_PATH] = ['[{},null]', `/api/submissions?limit=${PAGE_ROWS}`]

/** One page of a submission list, kept current. Survives visits to a submission. */
export function useSubmissionList() {
  const { filter, before, number, choose, first, older, newer: back } = useListPlace()
  const list = computed(() => listNameFor(filter.value.state))
  const filtered = computed(() => isFiltered(filter.value))
  const placeKey = () => JSON.stringify([filter.value, before.value])
  const page = useState<ShownPage | null>('list-page', () => null)
  const pagePlaceKey = useState('list-page-of', placeKey)
  const search = useState<Search | null>('list-search', () => null)
  /** Time when the list was opened, epoch ms of the server. Submissions received later count as new. */
  let openedAt = Infinity
  /** New submissions above this page, if it is not the first */
  const newer = ref(new Set<string>())
  /** New submissions in this page */
  const arrived = ref(new Set<string>())
  const busy = ref(false)
  /** Grows when another list is shown, not when the same one changes. */
  const turns = ref(0)
  /** True if the rows belong to an earlier address and the new ones are not loaded yet. */
  const turning = ref(false)

  const changedIds = new Set<string>()
  let needsReload = false
  /** True if the search is to continue. */
  let continuesSearch = false
  const { problem, isStoreAway, refresh: runLoad } = useRefresh(load)

  function refresh(ids: readonly string[] | null = null): Promise<void> {
    for (const id of ids ?? []) changedIds.add(id)
    needsReload ||= ids === null || changedIds.size > MAX_ROWS
    return runLoad()
  }

  const ask = (query: object) => askOps<RowPage>('/api/submissions/search', { ...query, ...filter.value })

  async function load() {
    const requestedPlace = placeKey()
    // After a failure load everything again. Always load the whole done list: its order cannot be derived from rows.
    const isContinuing = continuesSearch && !turning.value && !needsReload && changedIds.size === 0
    const ids = needsReload || changedIds.size === 0 || list.value === 'done' ? null : [...changedIds]
    needsReload = continuesSearch = false
    if (!isContinuing) changedIds.clear()
    try {
      if (isContinuing) await continueSearch(requestedPlace)
      else await loadPage(requestedPlace, ids)
    }
    catch (error) {
      busy.value = false
      throw error
    }
    // First load the changes that were reported meanwhile.
    if (!turning.value && searching.value) {
      continuesSearch = true
      void runLoad()
    }
  }

  async function loadPage(requestedPlace: string, ids: string[] | null) {
    const isDefaultPage = !ids && requestedPlace === FIRST_PLACE
    const query = ids ? { ids } : { limit: PAGE_ROWS, before: before.value }
    const answer = isDefaultPage ? await askOps<RowPage>(FIRST_PAGE_PATH) : await ask(query)
    // The user turned the page meanwhile: a newer request loads it.
    if (requestedPlace !== placeKey() || (ids && turning.value)) return
    const isReloaded = !turning.value && !ids && before.value
    if (ids) merge(ids, answer)
    else showPage(answer)
    if (isReloaded) await findArrivalsAbove(requestedPlace)
  }

  /** Finds new submissions on the first page after a reload without known changes. */
  async function findArrivalsAbove(requestedPlace: string) {
    const { rows } = await ask({ limit: PAGE_ROWS })
    if (requestedPlace === placeKey() && !turning.value) newer.value = new Set(rows.filter(isNew).map(({ id }) => id))
  }

  function showPage(answer: RowPage) {
    if (turning.value || openedAt === Infinity) openedAt = answer.now
    if (turning.value) turns.value++
    busy.value = turning.value = false
    page.value = { ...answer, list: list.value, filter: filter.value }
    pagePlaceKey.value = placeKey()
    const filterKey = JSON.stringify(filter.value)
    const { found: foundIds, scanned, cursor } = answer
    if (!before.value) search.value = { of: filterKey, ids: new Set(foundIds), scanned, cursor }
    else if (search.value?.of !== filterKey) {
      search.value = { of: filterKey, ids: new Set(), scanned: 0, cursor: undefined }
    }
    markArrivals(answer.rows)
    // Everything on the last page was decided: return to the first page.
    if (answer.rows.length === 0 && answer.cursor === null && before.value) choose(filter.value, 'replace')
  }

  const isShort = () => page.value !== null && page.value.cursor !== null && page.value.rows.length < PAGE_ROWS
  const isUncounted = () => (
    search.value !== null && search.value.cursor !== null && search.value.ids.size <= MAX_RESULTS
  )

  /** True until all results of the filter are known. */
  const searching = computed(() => filtered.value && (isShort() || isUncounted()))

  /** Fills the page first, then counts. Rows that fill the page count if both have reached the same cursor. */
  async function continueSearch(requestedPlace: string) {
    const isFilling = isShort()
    const isCounting = !isFilling || page.value!.cursor === search.value!.cursor
    const answer = isFilling
      ? await ask({ limit: PAGE_ROWS - page.value!.rows.length, before: page.value!.cursor })
      : await ask({ limit: MAX_ROWS, only: 'ids', before: search.value!.cursor })
    if (requestedPlace !== placeKey() || turning.value) return
    if (isFilling) {
      const knownIds = new Set(page.value!.rows.map(({ id }) => id))
      const rows = [...page.value!.rows, ...answer.rows.filter(({ id }) => !knownIds.has(id))]
      page.value = { ...page.value!, rows, cursor: answer.cursor, total: answer.total }
    }
    if (!isCounting) return
    const { of: filterKey, ids, scanned } = search.value!
    search.value = {
      of: filterKey, ids: new Set([...ids, ...answer.found]), scanned: scanned + answer.scanned, cursor: answer.cursor,
    }
  }

  function merge(ids: readonly string[], { rows, found, total }: RowPage) {
    if (!page.value) return
    const { cursor } = page.value
    const [top, bottom] = [page.value.rows[0], page.value.rows.at(-1)]
    const changes = new Map(rows.map(row => [row.id, row]))
    const mergedRows = page.value.rows.flatMap(row => ids.includes(row.id) ? changes.get(row.id) ?? [] : row)
    const knownIds = new Set(page.value.rows.map(({ id }) => id))
    const isFirst = !before.value
    for (const row of rows) {
      if (knownIds.has(row.id)) continue
      if (!isFirst && (!top || compareRows(row, top) < 0)) {
        if (isNew(row)) newer.value.add(row.id)
      }
      else if (!bottom || cursor === null || compareRows(row, bottom) < 0) mergedRows.push(row)
    }
    for (const id of ids) if (!changes.has(id)) newer.value.delete(id)
    if (search.value) {
      const otherIds = new Set([...search.value.ids].filter(id => !ids.includes(id)))
      search.value = { ...search.value, ids: new Set([...otherIds, ...found]) }
    }
    markArrivals(mergedRows)
    const unreadable = page.value.unreadable?.filter(id => !ids.includes(id))
    page.value = { ...page.value, rows: mergedRows.sort(compareRows), total, unreadable }
    const isLow = mergedRows.length < MIN_ROWS && cursor !== null && !filtered.value
    if (mergedRows.length > MAX_ROWS || isLow || (mergedRows.length === 0 && !isFirst)) void refresh()
  }

  const isNew = ({ receivedAt }: Row) => receivedAt > openedAt

  function markArrivals(rows: readonly Row[]) {
    for (const row of rows) if (isNew(row)) arrived.value.add(row.id)
  }

  function compareRows(a: Row, b: Row): number {
    const age = b.receivedAt - a.receivedAt || (a.id < b.id ? 1 : -1)
    return filter.value.sort === 'oldest' ? -age : age
  }

  // The current cursor belongs to the previous page until the requested page is here.
  const cursor = computed(() => turning.value ? null : page.value?.cursor)
  const showOlder = () => cursor.value && older(cursor.value)

  /** Typed search text, applied after a short pause. Changes with the address. */
  const q = ref(filter.value.q ?? '')
  let typedText = filter.value.q ?? ''
  const { start: startSearch, stop: cancelSearch } = useTimeoutFn(() => {
    typedText = q.value.trim()
    if (typedText === (filter.value.q ?? '')) return
    choose({ ...filter.value, q: typedText || undefined }, 'replace')
  }, TYPING_MS, { immediate: false })
  watch(q, () => startSearch())
  watch(() => filter.value.q ?? '', now => now === typedText || (typedText = q.value = now))

  if (pagePlaceKey.value !== placeKey()) page.value = null
  watch(placeKey, () => {
    newer.value.clear()
    arrived.value.clear()
    busy.value = turning.value = true
    void refresh()
  })
  /** Words that rows highlight */
  const words = computed(() => markedWords(filter.value.q ?? ''))

  const drawn = useDrawnRows(() => page.value?.rows ?? [])
  const queue = useQueueRows()
  onBeforeRouteLeave(() => {
    // A pending search would open this page again.
    cancelSearch()
    if (page.value) queue.value = queueOf(page.value, filter.value)
  })
  return {
    page, drawn, search, searching, list, filter, filtered, q, words, before, number, newer, arrived, problem,
    isStoreAway, busy, turns, turning, choose, refresh, first, cursor, older: showOlder, back,
  }
}

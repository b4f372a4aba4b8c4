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
/** Row limits of the first page: above the first, after arrivals, it is cut back; below the second it is filled up. */
const [MOST_ROWS, LEAST_ROWS] = [100, 25]
/** Search results beyond this number are not all read; the page says that there are more. */
const MOST_FOUND = 1000
const TYPING_MS = 250
/** List without a filter, requested at the address that pages/index.vue declares, which the browser has preloaded */
const [FIRST_PLACE, FIRST_PAGE] = ['[{},null]', `/api/submissions?limit=${PAGE_ROWS}`]

/** One page of a submission list, kept current. Survives visits to a submission. */
export function useSubmissionList() {
  const { filter, before, number, choose, first, older, newer: back } = useListPlace()
  const list = computed(() => listNameFor(filter.value.state))
  const filtered = computed(() => isFiltered(filter.value))
  const place = () => JSON.stringify([filter.value, before.value])
  const page = useState<ShownPage | null>('list-page', () => null)
  const pageIsOf = useState('list-page-of', place)
  const search = useState<Search | null>('list-search', () => null)
  /**
   * Time when the list was opened, epoch ms of the server: submissions received later are new, however they got into
   * the list.
   */
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

  const changed = new Set<string>()
  let reload = false
  /** True if the search is to continue. */
  let further = false
  const { problem, isStoreAway, refresh: work } = useRefresh(load)

  function refresh(ids: readonly string[] | null = null): Promise<void> {
    for (const id of ids ?? []) changed.add(id)
    reload ||= ids === null || changed.size > MOST_ROWS
    return work()
  }

  const ask = (query: object) => askOps<RowPage>('/api/submissions/search', { ...query, ...filter.value })

  async function load() {
    const asked = place()
    // After a failure load everything again. The done list is always loaded whole: its order cannot be told from rows.
    const goesOn = further && !turning.value && !reload && changed.size === 0
    const ids = reload || changed.size === 0 || list.value === 'done' ? null : [...changed]
    reload = further = false
    if (!goesOn) changed.clear()
    try {
      if (goesOn) await goOn(asked)
      else await look(asked, ids)
    }
    catch (error) {
      busy.value = false
      throw error
    }
    // Load what changed meanwhile first.
    if (!turning.value && searching.value) {
      further = true
      void work()
    }
  }

  async function look(asked: string, ids: string[] | null) {
    const isPlain = !ids && asked === FIRST_PLACE
    const query = ids ? { ids } : { limit: PAGE_ROWS, before: before.value }
    const answer = isPlain ? await askOps<RowPage>(FIRST_PAGE) : await ask(query)
    // The user turned the page meanwhile: a newer request brings the answer.
    if (asked !== place() || (ids && turning.value)) return
    const isReloaded = !turning.value && !ids && before.value
    if (ids) merge(ids, answer)
    else show(answer)
    if (isReloaded) await lookAbove(asked)
  }

  /** Finds new submissions on the first page after a reload without known changes. */
  async function lookAbove(asked: string) {
    const { rows } = await ask({ limit: PAGE_ROWS })
    if (asked === place() && !turning.value) newer.value = new Set(rows.filter(isNew).map(({ id }) => id))
  }

  function show(answer: RowPage) {
    if (turning.value || openedAt === Infinity) openedAt = answer.now
    if (turning.value) turns.value++
    busy.value = turning.value = false
    page.value = { ...answer, list: list.value, filter: filter.value }
    pageIsOf.value = place()
    const of = JSON.stringify(filter.value)
    const { found, scanned, cursor } = answer
    if (!before.value) search.value = { of, ids: new Set(found), scanned, cursor }
    else if (search.value?.of !== of) search.value = { of, ids: new Set(), scanned: 0, cursor: undefined }
    greet(answer.rows)
    // Everything on the last page was decided: return to the first page.
    if (answer.rows.length === 0 && answer.cursor === null && before.value) choose(filter.value, 'replace')
  }

  const isShort = () => page.value !== null && page.value.cursor !== null && page.value.rows.length < PAGE_ROWS
  const isUncounted = () => search.value !== null && search.value.cursor !== null && search.value.ids.size <= MOST_FOUND

  /** True while the results of the filter are not all known. */
  const searching = computed(() => filtered.value && (isShort() || isUncounted()))

  /** Fills the page first, then counts. Rows that fill the page are counted if the count is at the same cursor. */
  async function goOn(asked: string) {
    const isRows = isShort()
    const isCount = !isRows || page.value!.cursor === search.value!.cursor
    const answer = isRows
      ? await ask({ limit: PAGE_ROWS - page.value!.rows.length, before: page.value!.cursor })
      : await ask({ limit: MOST_ROWS, only: 'ids', before: search.value!.cursor })
    if (asked !== place() || turning.value) return
    if (isRows) {
      const known = new Set(page.value!.rows.map(({ id }) => id))
      const rows = [...page.value!.rows, ...answer.rows.filter(({ id }) => !known.has(id))]
      page.value = { ...page.value!, rows, cursor: answer.cursor, total: answer.total }
    }
    if (!isCount) return
    const { of, ids, scanned } = search.value!
    search.value = {
      of, ids: new Set([...ids, ...answer.found]), scanned: scanned + answer.scanned, cursor: answer.cursor,
    }
  }

  function merge(ids: readonly string[], { rows, found, total }: RowPage) {
    if (!page.value) return
    const { cursor } = page.value
    const [top, bottom] = [page.value.rows[0], page.value.rows.at(-1)]
    const changes = new Map(rows.map(row => [row.id, row]))
    const kept = page.value.rows.flatMap(row => ids.includes(row.id) ? changes.get(row.id) ?? [] : row)
    const known = new Set(page.value.rows.map(({ id }) => id))
    const isFirst = !before.value
    for (const row of rows) {
      if (known.has(row.id)) continue
      if (!isFirst && (!top || order(row, top) < 0)) {
        if (isNew(row)) newer.value.add(row.id)
      }
      else if (!bottom || cursor === null || order(row, bottom) < 0) kept.push(row)
    }
    for (const id of ids) if (!changes.has(id)) newer.value.delete(id)
    if (search.value) {
      const all = new Set([...search.value.ids].filter(id => !ids.includes(id)))
      search.value = { ...search.value, ids: new Set([...all, ...found]) }
    }
    greet(kept)
    const unreadable = page.value.unreadable?.filter(id => !ids.includes(id))
    page.value = { ...page.value, rows: kept.sort(order), total, unreadable }
    const isLow = kept.length < LEAST_ROWS && cursor !== null && !filtered.value
    if (kept.length > MOST_ROWS || isLow || (kept.length === 0 && !isFirst)) void refresh()
  }

  const isNew = ({ receivedAt }: Row) => receivedAt > openedAt

  function greet(rows: readonly Row[]) {
    for (const row of rows) if (isNew(row)) arrived.value.add(row.id)
  }

  function order(a: Row, b: Row): number {
    const age = b.receivedAt - a.receivedAt || (a.id < b.id ? 1 : -1)
    return filter.value.sort === 'oldest' ? -age : age
  }

  // The current cursor belongs to the previous page until the requested page is here.
  const cursor = computed(() => turning.value ? null : page.value?.cursor)
  const next = () => cursor.value && older(cursor.value)

  /** Typed text, searched for after a moment; follows the address. */
  const q = ref(filter.value.q ?? '')
  let typed = filter.value.q ?? ''
  const { start: seek, stop: seekNot } = useTimeoutFn(() => {
    typed = q.value.trim()
    if (typed === (filter.value.q ?? '')) return
    choose({ ...filter.value, q: typed || undefined }, 'replace')
  }, TYPING_MS, { immediate: false })
  watch(q, () => seek())
  watch(() => filter.value.q ?? '', now => now === typed || (typed = q.value = now))

  if (pageIsOf.value !== place()) page.value = null
  watch(place, () => {
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
    // A pending search would lead back here.
    seekNot()
    if (page.value) queue.value = queueOf(page.value, filter.value)
  })
  return {
    page, drawn, search, searching, list, filter, filtered, q, words, before, number, newer, arrived, problem,
    isStoreAway, busy, turns, turning, choose, refresh, first, cursor, older: next, back,
  }
}

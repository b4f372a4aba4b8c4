import { useTimeoutFn } from '@vueuse/core'
import { isFiltered, listNameFor, useListPlace, type ListName } from './use-list-place'

/** A page, the list that it is of, and what was asked for: another one may be on its way. */
interface ShownPage extends RowPage { list: ListName, filter: ListFilter }

/** What a filter is known to find, on all pages. */
interface Search {
  /** The filter. */
  of: string
  ids: Set<string>
  /** How many submissions were looked at. */
  scanned: number
  /** Where it goes on; null when all were looked at. */
  cursor: string | null | undefined
}

const PAGE_ROWS = 50
/** A first page that grew beyond this by arrivals is cut back; one that shrank below the other is filled up. */
const [MOST_ROWS, LEAST_ROWS] = [100, 25]
/** Who finds more than this does not read them all, and is told that there are more. */
const MOST_FOUND = 1000
const TYPING_MS = 250
/** Where nothing was chosen; asked for as pages/index.vue says, so that the browser has it already. */
const [FIRST_PLACE, FIRST_PAGE] = ['[{},null]', `/api/submissions?limit=${PAGE_ROWS}`]

/** A list of submissions: one page of it, kept current. Survives a look at a submission and the way back. */
export function useSubmissionList() {
  const { filter, before, number, choose, first, older, newer: back } = useListPlace()
  const list = computed(() => listNameFor(filter.value.state))
  const filtered = computed(() => isFiltered(filter.value))
  const place = () => JSON.stringify([filter.value, before.value])
  const page = useState<ShownPage | null>('list-page', () => null)
  const pageIsOf = useState('list-page-of', place)
  const search = useState<Search | null>('list-search', () => null)
  /**
   * When the list was opened, epoch ms of the server: what was received later is new, whatever brings a row into the
   * list.
   */
  let openedAt = Infinity
  /** New ones above this page, which is not the first. */
  const newer = ref(new Set<string>())
  /** New ones in this page. */
  const arrived = ref(new Set<string>())
  const busy = ref(false)
  /** Grows when the list became another one, as opposed to the same one with changes. */
  const turns = ref(0)
  /** The rows are of another place than the address, until its own are here. */
  const turning = ref(false)

  const changed = new Set<string>()
  let reload = false
  /** The search is not at its end. */
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
    // What failed is asked for again as a whole. What is done has an order that its rows do not tell.
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
    // What changed meanwhile is asked for first.
    if (!turning.value && searching.value) {
      further = true
      void work()
    }
  }

  async function look(asked: string, ids: string[] | null) {
    const isPlain = !ids && asked === FIRST_PLACE
    const query = ids ? { ids } : { limit: PAGE_ROWS, before: before.value }
    const answer = isPlain ? await askOps<RowPage>(FIRST_PAGE) : await ask(query)
    // Somebody turned the page meanwhile: what is asked next is the answer.
    if (asked !== place() || (ids && turning.value)) return
    const isReloaded = !turning.value && !ids && before.value
    if (ids) merge(ids, answer)
    else show(answer)
    if (isReloaded) await lookAbove(asked)
  }

  /** What is new on the first page, where nobody told which submissions changed. */
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
    // Everything on the last page was decided: there is nothing to stay for.
    if (answer.rows.length === 0 && answer.cursor === null && before.value) choose(filter.value, 'replace')
  }

  const isShort = () => page.value !== null && page.value.cursor !== null && page.value.rows.length < PAGE_ROWS
  const isUncounted = () => search.value !== null && search.value.cursor !== null && search.value.ids.size <= MOST_FOUND

  /** It is not all known yet what the filter finds. */
  const searching = computed(() => filtered.value && (isShort() || isUncounted()))

  /** Fills the page first, and counts then; what fills the page counts where the count has come to the same place. */
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

  // The cursor at hand is that of the page before, until the one that was asked for is here.
  const cursor = computed(() => turning.value ? null : page.value?.cursor)
  const next = () => cursor.value && older(cursor.value)

  /** What is typed is searched for in a moment, and what the address says is as if it were typed. */
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
  /** What rows mark. */
  const words = computed(() => markedWords(filter.value.q ?? ''))

  const drawn = useDrawnRows(() => page.value?.rows ?? [])
  const queue = useQueueRows()
  onBeforeRouteLeave(() => {
    // It would lead back here.
    seekNot()
    if (page.value) queue.value = queueOf(page.value, filter.value)
  })
  return {
    page, drawn, search, searching, list, filter, filtered, q, words, before, number, newer, arrived, problem,
    isStoreAway, busy, turns, turning, choose, refresh, first, cursor, older: next, back,
  }
}

import { watchDebounced } from '@vueuse/core'

/** A page, and whether it is of what is held. */
interface ShownPage extends RowPage { held: boolean }

const PAGE_ROWS = 50
/** A first page that grew beyond this by arrivals is cut back; one that shrank below the other is filled up. */
const [MOST_ROWS, LEAST_ROWS] = [100, 25]
const TYPING_MS = 250

/** The list of pending submissions: one page of it, kept current. Survives a look at a submission and the way back. */
export function usePending() {
  const page = useState<ShownPage | null>('pending-page', () => null)
  const state = useState<RowState | undefined>('pending-state', () => undefined)
  const q = useState('pending-q', () => '')
  /** Cursors of the pages above this one. */
  const above = useState<string[]>('pending-above', () => [])
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
  let turning = false

  const changed = new Set<string>()
  let reload = false
  const { problem, refresh: work } = useRefresh(load)

  const filter = () => ({ state: state.value, q: q.value.trim() || undefined })
  const place = () => JSON.stringify([filter(), above.value])

  function refresh(ids: readonly string[] | null = null): Promise<void> {
    for (const id of ids ?? []) changed.add(id)
    reload ||= ids === null || changed.size > MOST_ROWS
    return work()
  }

  async function load() {
    // What failed is asked for again as a whole.
    const [ids, asked] = [reload || changed.size === 0 ? null : [...changed], place()]
    reload = false
    changed.clear()
    try {
      const query = ids ? { ids, ...filter() } : { limit: PAGE_ROWS, before: above.value.at(-1), ...filter() }
      const answer = await askOps<RowPage>('/api/submissions/search', query)
      // Somebody turned the page meanwhile: what is asked next is the answer.
      if (asked !== place()) return
      if (ids) merge(ids, answer)
      else show(answer)
    }
    finally {
      busy.value = false
    }
  }

  function show(answer: RowPage) {
    if (turning || openedAt === Infinity) openedAt = answer.now
    if (turning) turns.value++
    turning = false
    page.value = { ...answer, held: state.value === 'held' }
    greet(answer.rows)
    // Everything on the last page was decided: there is nothing to stay for.
    if (answer.rows.length === 0 && answer.cursor === null && above.value.length > 0) first()
  }

  function merge(ids: readonly string[], { rows, total }: RowPage) {
    if (!page.value) return
    const { cursor } = page.value
    const [top, bottom] = [page.value.rows[0], page.value.rows.at(-1)]
    const found = new Map(rows.map(row => [row.id, row]))
    const kept = page.value.rows.flatMap(row => ids.includes(row.id) ? found.get(row.id) ?? [] : row)
    const known = new Set(page.value.rows.map(({ id }) => id))
    const isFirst = above.value.length === 0
    for (const row of rows) {
      if (known.has(row.id)) continue
      if (!isFirst && (!top || order(row, top) < 0)) {
        if (isNew(row)) newer.value.add(row.id)
      }
      else if (!bottom || cursor === null || order(row, bottom) < 0) kept.push(row)
    }
    for (const id of ids) if (!found.has(id)) newer.value.delete(id)
    greet(kept)
    page.value = { ...page.value, rows: kept.sort(order), total }
    const isShort = kept.length < LEAST_ROWS && cursor !== null
    if (kept.length > MOST_ROWS || isShort || (kept.length === 0 && !isFirst)) void refresh()
  }

  const isNew = ({ receivedAt }: Row) => receivedAt > openedAt

  function greet(rows: readonly Row[]) {
    for (const row of rows) if (isNew(row)) arrived.value.add(row.id)
  }

  function open(cursors: string[]) {
    above.value = cursors
    newer.value.clear()
    arrived.value.clear()
    busy.value = turning = true
    void refresh()
  }
  const first = () => open([])
  // The cursor at hand is that of the page before, until the one that was asked for is here.
  const older = () => !turning && page.value?.cursor && open([...above.value, page.value.cursor])
  const back = () => open(above.value.slice(0, -1))

  watchDebounced(q, first, { debounce: TYPING_MS })
  watch(state, first)
  useFilterInAddress(state, () => {
    q.value = ''
    above.value = []
    page.value = null
  })
  return { page, state, q, above, newer, arrived, problem, busy, turns, refresh, first, older, back }
}

/**
 * The filter stands in the address, by which other pages lead to it; `reset` is called when that asks for another one.
 */
function useFilterInAddress(state: Ref<RowState | undefined>, reset: () => void) {
  const [route, router] = [useRoute(), useRouter()]
  const asked = ROW_STATES.find(each => each === route.query.state)
  if (asked && asked !== state.value) {
    reset()
    state.value = asked
  }
  const show = () => router.replace({ query: state.value ? { state: state.value } : {} })
  watch(state, show)
  onMounted(() => route.query.state !== state.value && show())
}

/** Newest first. */
function order(a: Row, b: Row): number {
  return b.receivedAt - a.receivedAt || (a.id < b.id ? 1 : -1)
}

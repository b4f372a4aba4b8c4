/** Filter of the page, kept in the address. Times are ISO 8601. */
export interface DeliveryFilter { destination?: string, state?: DeliveryState, from?: string, to?: string }

const FILTERS = ['destination', 'state', 'from', 'to'] as const

/** Max submissions of one request: small steps show progress. The API accepts 1,000. */
const STEP = 20

/** Deliveries that failed or wait: the page at the address, with its filter. */
export function useDeliveries() {
  const [route, router] = [useRoute(), useRouter()]
  const textAt = (name: string) => typeof route.query[name] === 'string' ? route.query[name] || undefined : undefined
  const filter = computed(() => Object.fromEntries(FILTERS.map(name => [name, textAt(name)])) as DeliveryFilter)
  const before = computed(() => textAt('before'))
  const page = shallowRef<DeliveryPage | null>(null)
  const isBusy = ref(false)
  const { problem, refresh } = useRefresh(async () => {
    const query = queryOf({ ...filter.value, before: before.value })
    page.value = await askOps<DeliveryPage>(`/api/deliveries${query}`)
    isBusy.value = false
  })
  watch(() => route.query, () => {
    isBusy.value = true
    void refresh()
  })

  function choose(changes: Partial<DeliveryFilter & { before: string }>) {
    void router.push({ query: { ...filter.value, ...changes } })
  }
  return { page, filter, before, problem, isBusy, refresh, choose }
}

function queryOf(query: object): string {
  const text = new URLSearchParams(
    Object.entries(query).filter((entry): entry is [string, string] => Boolean(entry[1])),
  ).toString()
  return text && `?${text}`
}

/** Sends submissions again, step by step, and keeps what became of them. */
export function useSendAgain() {
  const result = ref<SentAgain | null>(null)
  const isRunning = ref(false)
  const problem = ref<string | null>(null)

  /** @param ids the submissions; all that match the filter if absent */
  async function send(filter: DeliveryFilter, ids?: readonly string[]): Promise<void> {
    result.value = { sent: [], refused: [], left: 0 }
    problem.value = null
    isRunning.value = true
    try {
      const all = ids ?? await gather(filter)
      for (let at = 0; at < all.length; at += STEP) {
        const { sent, refused } = await askOps<SentAgain>('/api/deliveries/send-again', {
          ids: all.slice(at, at + STEP), ...filter.destination && { destination: filter.destination },
        })
        result.value = {
          sent: [...result.value.sent, ...sent], refused: [...result.value.refused, ...refused],
          left: Math.max(0, all.length - at - STEP),
        }
      }
    }
    catch (error) {
      problem.value = errorLine(error)
    }
    isRunning.value = false
  }
  return { result, isRunning, problem, send }
}

async function gather(filter: DeliveryFilter): Promise<string[]> {
  const ids = new Set<string>()
  for (let before: string | null | undefined; before !== null;) {
    const page: DeliveryPage = await askOps(`/api/deliveries${queryOf({ ...filter, limit: '100', before })}`)
    for (const { id } of page.lines) ids.add(id)
    before = page.cursor
  }
  return [...ids]
}

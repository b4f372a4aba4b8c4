import { useDebounceFn } from '@vueuse/core'

/** Pause after the last change before counting, and max time without counting, ms: changes come in bursts. */
const [QUIET_MS, MAX_WAIT_MS] = [500, 3000]

const toNulls = <K extends string>(counts: Record<K, unknown>) => (
  Object.fromEntries(Object.keys(counts).map(key => [key, null])) as Record<K, null>
)

/** Returns the same choices with unknown counts. */
function clearCounts({ states, holders, forms, platforms }: Counts): Counts {
  const clearChoices = (list: Counts['forms']) => list.map(choice => ({ ...choice, count: null }))
  return {
    states: toNulls(states), holders: toNulls(holders), forms: clearChoices(forms), platforms: clearChoices(platforms),
  }
}

/** Number of submissions that each choice of the filter would list; null while unknown */
export function useListCounts(filter: Readonly<Ref<ListFilter>>) {
  const counts = useState<Counts | null>('list-counts', () => null)
  const { refresh } = useRefresh(async () => {
    const requestedFilter = filter.value
    const answer = await askOps<Counts>('/api/submissions/counts', requestedFilter).catch((error) => {
      counts.value &&= clearCounts(counts.value)
      throw error
    })
    if (requestedFilter === filter.value) counts.value = answer
  })
  watch(filter, () => void refresh())
  return { counts, recount: useDebounceFn(() => void refresh(), QUIET_MS, { maxWait: MAX_WAIT_MS }) }
}

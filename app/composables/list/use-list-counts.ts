import { useDebounceFn } from '@vueuse/core'

/** Changes come in bursts: count after a quiet moment, but at least every few seconds; ms. */
const [QUIET_MS, MOST_MS] = [500, 3000]

const nulls = <K extends string>(of: Record<K, unknown>) => (
  Object.fromEntries(Object.keys(of).map(key => [key, null])) as Record<K, null>
)

/** Returns the same choices with unknown counts. */
function uncounted({ states, holders, forms, platforms }: Counts): Counts {
  const choices = (of: Counts['forms']) => of.map(choice => ({ ...choice, count: null }))
  return { states: nulls(states), holders: nulls(holders), forms: choices(forms), platforms: choices(platforms) }
}

/** Number of submissions that each choice of the filter would list; null while unknown */
export function useListCounts(filter: Readonly<Ref<ListFilter>>) {
  const counts = useState<Counts | null>('list-counts', () => null)
  const { refresh } = useRefresh(async () => {
    const asked = filter.value
    const answer = await askOps<Counts>('/api/submissions/counts', asked).catch((error) => {
      counts.value &&= uncounted(counts.value)
      throw error
    })
    if (asked === filter.value) counts.value = answer
  })
  watch(filter, () => void refresh())
  return { counts, recount: useDebounceFn(() => void refresh(), QUIET_MS, { maxWait: MOST_MS }) }
}

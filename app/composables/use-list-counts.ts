import { useDebounceFn } from '@vueuse/core'

/** Changes come in bursts: counted is when there are none for a moment, but every few seconds all the same, ms. */
const [QUIET_MS, MOST_MS] = [500, 3000]

/** How many submissions each choice of the filter would list; null until somebody knows. */
export function useListCounts(filter: Readonly<Ref<ListFilter>>) {
  const counts = useState<Counts | null>('list-counts', () => null)
  const { refresh } = useRefresh(async () => {
    const asked = filter.value
    const answer = await askOps<Counts>('/api/submissions/counts', asked)
    if (asked === filter.value) counts.value = answer
  })
  watch(filter, () => void refresh())
  return { counts, recount: useDebounceFn(() => void refresh(), QUIET_MS, { maxWait: MOST_MS }) }
}

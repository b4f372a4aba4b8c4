import { useEventListener, useSessionStorage, whenever } from '@vueuse/core'

/** More than a screen shows. */
const FIRST_ROWS = 16

const [opened] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
/** The address that this document was loaded with again. */
let again = opened?.type === 'navigate' ? null : location.href

/**
 * Rows that are drawn: those that can be seen when the list opens, and all once these are painted. The first can be
 * used the sooner.
 */
export function useDrawnRows(rows: () => readonly Row[]) {
  /** The focus goes there. */
  const kept = useCurrentRow().value
  const all = ref(false)
  /** Where it stood when its document went; what loads it again scrolls before the rows are there. */
  const stood = useSessionStorage('list-stood', { at: '', top: 0 }, { flush: 'sync', onError: () => {} })
  whenever(() => rows().length > 0, () => {
    requestAnimationFrame(() => setTimeout(async () => {
      all.value = true
      await nextTick()
      if (again === stood.value.at) scrollTo({ top: stood.value.top })
      again = null
    }))
  }, { immediate: true, once: true })
  useEventListener('pagehide', () => stood.value = { at: location.href, top: scrollY })
  return computed(() => {
    const first = Math.max(FIRST_ROWS, 1 + rows().findIndex(({ id }) => id === kept))
    return all.value ? rows() : rows().slice(0, first)
  })
}

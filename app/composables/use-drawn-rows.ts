import { whenever } from '@vueuse/core'

/** More than a screen shows. */
const FIRST_ROWS = 16

/**
 * Rows that are drawn: those that can be seen when the list opens, and all once these are painted. The first can be
 * used the sooner.
 */
export function useDrawnRows(rows: () => readonly Row[]) {
  /** The focus goes there. */
  const kept = useCurrentRow().value
  const all = ref(false)
  whenever(() => rows().length > 0, () => {
    requestAnimationFrame(() => setTimeout(() => all.value = true))
  }, { immediate: true, once: true })
  return computed(() => {
    const first = Math.max(FIRST_ROWS, 1 + rows().findIndex(({ id }) => id === kept))
    return all.value ? rows() : rows().slice(0, first)
  })
}

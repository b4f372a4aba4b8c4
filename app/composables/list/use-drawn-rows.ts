import { useEventListener, useSessionStorage, whenever } from '@vueuse/core'

/** More than a screen shows. */
const FIRST_ROWS = 16
/** It takes so many frames to know how high the rows around a place are. */
const SETTLING_FRAMES = 3

const [opened] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
/** The address that this document was loaded with again. */
let again = opened?.type === 'navigate' ? null : location.href

/** A place in the list: by its row, as far as there is one, and by the page. */
interface Place { row?: string, top: number, y: number }

const topOf = (row: Element) => row.getBoundingClientRect().top

/** The first row that begins in the window, and how far from its upper edge. */
function placeNow(): Place {
  const row = [...document.querySelectorAll<HTMLElement>('[data-testid=row]')].find(each => topOf(each) >= 0)
  return { row: row?.dataset.id, top: row ? topOf(row) : 0, y: scrollY }
}

/**
 * By its row, where that is still listed: how high the others are is known once they are in the window, or near it, and
 * then they move it.
 */
function standAt(place: Place, frames = SETTLING_FRAMES) {
  const row = place.row && document.querySelector(`[data-testid=row][data-id="${CSS.escape(place.row)}"]`)
  if (!row) return scrollTo({ top: place.y })
  scrollBy({ top: topOf(row) - place.top })
  if (frames > 1) requestAnimationFrame(() => standAt(place, frames - 1))
}

/**
 * Rows that are drawn: those that can be seen when the list opens, and all once these are painted. The first can be
 * used the sooner.
 */
export function useDrawnRows(rows: () => readonly Row[]) {
  /** The focus goes there. */
  const kept = useCurrentRow().value
  const all = ref(false)
  /** Where it stood when its document went; what loads it again scrolls before the rows are there. */
  const stood = useSessionStorage<Place & { at: string }>(
    'list-stood', { at: '', top: 0, y: 0 }, { flush: 'sync', onError: () => {} },
  )
  whenever(() => rows().length > 0, () => {
    requestAnimationFrame(() => setTimeout(async () => {
      all.value = true
      await nextTick()
      if (again === stood.value.at) standAt(stood.value)
      again = null
    }))
  }, { immediate: true, once: true })
  useEventListener('pagehide', () => stood.value = { at: location.href, ...placeNow() })
  return computed(() => {
    const first = Math.max(FIRST_ROWS, 1 + rows().findIndex(({ id }) => id === kept))
    return all.value ? rows() : rows().slice(0, first)
  })
}

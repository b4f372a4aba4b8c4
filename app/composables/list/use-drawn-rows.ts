import { useEventListener, useSessionStorage, whenever } from '@vueuse/core'

/** Number of rows drawn at first, more than a screen shows */
const FIRST_ROWS = 16
/** Frames until the heights of the rows around the scroll position are known */
const SETTLING_FRAMES = 3

const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
/** Address of this document if it was reloaded or restored, else null */
let reloadedAddress = navigation?.type === 'navigate' ? null : location.href

/** Scroll position in the list: by row, if there is one, and by pixels of the page */
interface ScrollPlace { row?: string, top: number, y: number }

const topOf = (row: Element) => row.getBoundingClientRect().top

/** Returns the first row that begins in the window, with its distance from the upper edge. */
function readPlace(): ScrollPlace {
  const row = [...document.querySelectorAll<HTMLElement>('[data-testid=row]')].find(each => topOf(each) >= 0)
  return { row: row?.dataset.id, top: row ? topOf(row) : 0, y: scrollY }
}

/**
 * Scrolls to the row if it is still listed. Repeats this for some frames: rows get their final heights, and move this
 * one, only once they are in or near the window.
 */
function scrollToPlace(place: ScrollPlace, frames = SETTLING_FRAMES) {
  const row = place.row && document.querySelector(`[data-testid=row][data-id="${CSS.escape(place.row)}"]`)
  if (!row) return scrollTo({ top: place.y })
  scrollBy({ top: topOf(row) - place.top })
  if (frames > 1) requestAnimationFrame(() => scrollToPlace(place, frames - 1))
}

/** Rows to draw: first only the visible ones, then all once these are painted. This makes the list usable sooner. */
export function useDrawnRows(rows: () => readonly Row[]) {
  /** Row that gets the focus */
  const focusedId = useCurrentRow().value
  const isComplete = ref(false)
  /** Scroll position before unload; on a reload the browser restores it before the rows are there. */
  const lastPlace = useSessionStorage<ScrollPlace & { at: string }>(
    'list-stood', { at: '', top: 0, y: 0 }, { flush: 'sync', onError: () => {} },
  )
  whenever(() => rows().length > 0, () => {
    requestAnimationFrame(() => setTimeout(async () => {
      isComplete.value = true
      await nextTick()
      if (reloadedAddress === lastPlace.value.at) scrollToPlace(lastPlace.value)
      reloadedAddress = null
    }))
  }, { immediate: true, once: true })
  useEventListener('pagehide', () => lastPlace.value = { at: location.href, ...readPlace() })
  return computed(() => {
    const firstCount = Math.max(FIRST_ROWS, 1 + rows().findIndex(({ id }) => id === focusedId))
    return isComplete.value ? rows() : rows().slice(0, firstCount)
  })
}

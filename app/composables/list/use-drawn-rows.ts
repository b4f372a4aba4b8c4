import { useEventListener, useSessionStorage, whenever } from '@vueuse/core'

/** More rows than a screen shows */
const FIRST_ROWS = 16
/** Frames until the heights of the rows around a place are known */
const SETTLING_FRAMES = 3

const [opened] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
/** Address of this document if it was reloaded or restored, else null */
let again = opened?.type === 'navigate' ? null : location.href

/** Scroll position in the list: by row, if there is one, and by pixels of the page */
interface Place { row?: string, top: number, y: number }

const topOf = (row: Element) => row.getBoundingClientRect().top

/** Returns the first row that begins in the window, with its distance from the upper edge. */
function placeNow(): Place {
  const row = [...document.querySelectorAll<HTMLElement>('[data-testid=row]')].find(each => topOf(each) >= 0)
  return { row: row?.dataset.id, top: row ? topOf(row) : 0, y: scrollY }
}

/**
 * Scrolls to the row if it is still listed. Repeats for some frames: rows get their final heights only once they are in
 * or near the window, and move this one.
 */
function standAt(place: Place, frames = SETTLING_FRAMES) {
  const row = place.row && document.querySelector(`[data-testid=row][data-id="${CSS.escape(place.row)}"]`)
  if (!row) return scrollTo({ top: place.y })
  scrollBy({ top: topOf(row) - place.top })
  if (frames > 1) requestAnimationFrame(() => standAt(place, frames - 1))
}

/**
 * Rows to draw: at first only those visible when the list opens, then all, once these are painted. So the list can be
 * used sooner.
 */
export function useDrawnRows(rows: () => readonly Row[]) {
  /** Row that gets the focus */
  const kept = useCurrentRow().value
  const all = ref(false)
  /** Scroll position before unload; on a reload the browser restores it before the rows are there. */
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

import { useResizeObserver } from '@vueuse/core'
import type { ShallowRef } from 'vue'

type ElementRef = Readonly<ShallowRef<HTMLElement | null>>

/** Keeps a list of messages scrolled to its end, unless the user scrolls up. */
export function useStickToBottom(scroller: ElementRef, list: ElementRef) {
  const atBottom = ref(true)
  let lastTop = 0

  function onScroll() {
    const box = scroller.value
    if (!box) return
    const distanceBelow = box.scrollHeight - box.scrollTop - box.clientHeight
    // Only scrolling up leaves the bottom. When cards arrive fast, the list has grown before this event, but not yet
    // scrolled: it seems far from the bottom although nobody scrolled. A list that shrank is at its end.
    if (distanceBelow >= 1 && box.scrollTop < lastTop) atBottom.value = false
    else if (distanceBelow < 64) atBottom.value = true
    lastTop = box.scrollTop
  }

  function toBottom(behavior: ScrollBehavior = 'instant') {
    scroller.value?.scrollTo({ top: scroller.value.scrollHeight, behavior })
  }

  /** Scrolls to a message that has just changed, even away from the end of the list. */
  function bring(message: HTMLElement) {
    // The message has changed the list's size: wait until the list is scrolled to its end again.
    requestAnimationFrame(() => requestAnimationFrame(() => {
      if (!scroller.value) return
      if (message.getBoundingClientRect().top < scroller.value.getBoundingClientRect().top) atBottom.value = false
      message.scrollIntoView({ block: 'nearest', behavior: 'smooth' })
    }))
  }

  // Scroll before the first paint, so that nothing jumps.
  onMounted(() => toBottom())
  onUpdated(() => atBottom.value && toBottom())
  // Watch sizes instead of messages: an edited card or the pane can change height too.
  useResizeObserver([scroller, list], () => {
    // A hidden pane loses its scroll position: the scroll event when it returns is not the user's.
    if (scroller.value?.clientHeight === 0) lastTop = 0
    else if (atBottom.value) toBottom()
  })

  return { atBottom, onScroll, toBottom, bring }
}

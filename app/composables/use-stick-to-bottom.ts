import { useResizeObserver } from '@vueuse/core'
import type { ShallowRef } from 'vue'

type Element = Readonly<ShallowRef<HTMLElement | null>>

/** Keeps a list of messages at its end, as long as nobody scrolls up. */
export function useStickToBottom(scroller: Element, list: Element) {
  const atBottom = ref(true)
  let lastTop = 0

  function onScroll() {
    const box = scroller.value
    if (!box) return
    // Only scrolling up leaves the bottom. When cards arrive fast, this event finds the list grown but not yet
    // scrolled, which looks far from the bottom although nobody moved.
    if (box.scrollHeight - box.scrollTop - box.clientHeight < 64) atBottom.value = true
    else if (box.scrollTop < lastTop) atBottom.value = false
    lastTop = box.scrollTop
  }

  function toBottom(behavior: ScrollBehavior = 'instant') {
    scroller.value?.scrollTo({ top: scroller.value.scrollHeight, behavior })
  }

  // Watching sizes and not messages: an edited card changes height too, and so does the pane.
  useResizeObserver([scroller, list], () => {
    // A pane that is hidden loses its place: the scroll event of its return is nobody scrolling up.
    if (scroller.value?.clientHeight === 0) lastTop = 0
    else if (atBottom.value) toBottom()
  })

  return { atBottom, onScroll, toBottom }
}

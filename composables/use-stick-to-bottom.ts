import type { ShallowRef } from 'vue'

/** Keeps a list of messages at its end, as long as nobody scrolls up. */
export function useStickToBottom(scroller: Readonly<ShallowRef<HTMLElement | null>>, list: Readonly<ShallowRef<HTMLElement | null>>) {
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
  let sizes: ResizeObserver | undefined
  onMounted(() => {
    sizes = new ResizeObserver(() => {
      // A pane that is hidden loses its place: the scroll event of its return is nobody scrolling up.
      if (scroller.value?.clientHeight === 0) lastTop = 0
      else if (atBottom.value) toBottom()
    })
    if (scroller.value) sizes.observe(scroller.value)
    if (list.value) sizes.observe(list.value)
  })
  onBeforeUnmount(() => sizes?.disconnect())

  return { atBottom, onScroll, toBottom }
}

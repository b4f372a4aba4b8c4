/** Number of items that one click adds: each may be a tree, and 24,000 at once would block the page for a minute. */
const STEP = 100

/**
 * Shows a long list in steps: the first items, and a button for more. Printed pages show all, because paper has no
 * buttons.
 *
 * @param initialCount number of items shown at first
 */
export function useSteps<T>(items: () => readonly T[], initialCount: number) {
  const isPrinted = usePrinted()
  const count = ref(initialCount)
  const shown = computed(() => isPrinted.value ? items() : items().slice(0, count.value))
  const left = computed(() => items().length - shown.value.length)

  /** Shows more items, and focuses the first of these. */
  async function showMore(list: HTMLElement) {
    const nextIndex = count.value
    count.value += STEP
    await nextTick()
    const item = list.children[nextIndex] as HTMLElement
    item.tabIndex = -1
    item.focus()
  }

  /** Returns the button's label. @param size such as `60 items` */
  const labelOf = (size: string) => left.value > STEP ? `Show ${STEP} more of ${size}` : `Show all ${size}`

  return { shown, left, showMore, labelOf }
}

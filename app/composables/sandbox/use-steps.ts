/** Items that one press adds: each may be a tree of its own, and 24,000 at once keep the page busy for a minute. */
const STEP = 100

/**
 * A long list a step at a time: the first items, and a button that shows more of them. Paper has all, as it has no
 * buttons.
 *
 * @param first how many are drawn at first
 */
export function useSteps<T>(items: () => readonly T[], first: number) {
  const isPrinted = usePrinted()
  const count = ref(first)
  const shown = computed(() => isPrinted.value ? items() : items().slice(0, count.value))
  const left = computed(() => items().length - shown.value.length)

  /** The button makes way for what it shows, which goes on with the focus. */
  async function showMore(list: HTMLElement) {
    const next = count.value
    count.value += STEP
    await nextTick()
    const item = list.children[next] as HTMLElement
    item.tabIndex = -1
    item.focus()
  }

  /** Label of the button. @param size such as `60 items` */
  const labelOf = (size: string) => left.value > STEP ? `Show ${STEP} more of ${size}` : `Show all ${size}`

  return { shown, left, showMore, labelOf }
}

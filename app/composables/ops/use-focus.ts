import { useEventListener, useMutationObserver } from '@vueuse/core'

/** Has the focus only because what had it is gone. */
let heir: HTMLElement | null = null

/**
 * Whether somebody went elsewhere while something was done: who types keeps their place. Who did not has the focus
 * nowhere, or where they were.
 */
export function hasMovedOn(from?: Element | null): boolean {
  const { activeElement, body } = document
  return activeElement !== null && activeElement !== body && activeElement !== heir && !from?.contains(activeElement)
}

/**
 * Keeps the focus: browsers take it from a button that is disabled while it works, and from what goes. The button has
 * it back, and for what went the heading has it, unless somebody or something moves it. Once, for all pages.
 */
export function useFocusKept(): void {
  let last: HTMLElement | null = null
  let busy: HTMLElement | null = null
  const isNowhere = () => document.activeElement === document.body

  useEventListener('focusin', ({ target }) => {
    last = target as HTMLElement
    if (heir !== last) heir = null
  })
  // Whoever presses beside it wants the focus nowhere.
  useEventListener('pointerdown', ({ target }) => last?.contains(target as Node) || (last = null), { capture: true })

  useMutationObserver(() => document.body, () => {
    if (!last) return
    if (!last.isConnected) {
      last = null
      // What gives it a better place has a moment to do so.
      setTimeout(toHeading)
    }
    else if (last.matches(':disabled')) busy = last
    else if (busy === last) {
      busy = null
      if (isNowhere()) last.focus({ preventScroll: true })
    }
  }, { childList: true, subtree: true, attributeFilter: ['disabled'] })

  function toHeading() {
    if (!isNowhere()) return
    heir = document.querySelector<HTMLElement>('h1')
    heir?.focus({ preventScroll: true })
  }
}

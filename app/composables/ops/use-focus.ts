import { useEventListener, useMutationObserver } from '@vueuse/core'

/** Heading that has the focus only because the focused element was removed */
let focusedHeading: HTMLElement | null = null

/**
 * True if the user has moved the focus elsewhere meanwhile, so that it must not be taken away. Otherwise the focus
 * is nowhere, or within `from`.
 */
export function hasMovedOn(from?: Element | null): boolean {
  const { activeElement, body } = document
  if (activeElement === null || activeElement === body || activeElement === focusedHeading) return false
  return !from?.contains(activeElement)
}

/**
 * Restores the focus, which is lost when an element is removed, or a button is disabled while it works. The
 * button gets it back; after a removal the heading gets it, unless the user or other code moves it. Used once.
 */
export function useFocusKept(): void {
  let lastFocused: HTMLElement | null = null
  let busyButton: HTMLElement | null = null
  const isFocusLost = () => document.activeElement === document.body

  useEventListener('focusin', ({ target }) => {
    lastFocused = target as HTMLElement
    if (focusedHeading !== lastFocused) focusedHeading = null
  })
  // A click outside means that the user no longer wants the focus there.
  useEventListener(
    'pointerdown', ({ target }) => lastFocused?.contains(target as Node) || (lastFocused = null), { capture: true },
  )

  useMutationObserver(() => document.body, () => {
    if (!lastFocused) return
    if (!lastFocused.isConnected) {
      lastFocused = null
      // First let other code choose a better place.
      setTimeout(focusHeading)
    }
    else if (lastFocused.matches(':disabled')) busyButton = lastFocused
    else if (busyButton === lastFocused) {
      busyButton = null
      if (isFocusLost()) lastFocused.focus({ preventScroll: true })
    }
  }, { childList: true, subtree: true, attributeFilter: ['disabled'] })

  function focusHeading() {
    if (!isFocusLost()) return
    focusedHeading = document.querySelector<HTMLElement>('h1')
    focusedHeading?.focus({ preventScroll: true })
  }
}

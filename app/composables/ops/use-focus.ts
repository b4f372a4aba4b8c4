import { useEventListener, useMutationObserver } from '@vueuse/core'

/** Heading that has the focus only because the focused element was removed */
let focusedHeading: HTMLElement | null = null

/**
 * True if the user has moved the focus elsewhere meanwhile: somebody who types keeps their place. Otherwise the focus
 * is nowhere, or within `from`.
 */
export function hasMovedOn(from?: Element | null): boolean {
  const { activeElement, body } = document
  if (activeElement === null || activeElement === body || activeElement === focusedHeading) return false
  return !from?.contains(activeElement)
}

/**
 * Keeps the focus, which browsers take from removed elements and from a button that is disabled while it works. The
 * button gets it back; after a removal the heading gets it, unless somebody or something moves it. Used once.
 */
export function useFocusKept(): void {
  let lastFocused: HTMLElement | null = null
  let busyButton: HTMLElement | null = null
  const isFocusLost = () => document.activeElement === document.body

  useEventListener('focusin', ({ target }) => {
    lastFocused = target as HTMLElement
    if (focusedHeading !== lastFocused) focusedHeading = null
  })
  // A click beside the element means that the user wants no focus.
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

import { useEventListener, useMutationObserver } from '@vueuse/core'

/** Heading that has the focus only because the focused element was removed */
let heir: HTMLElement | null = null

/**
 * True if the user has moved the focus elsewhere meanwhile: somebody who types keeps their place. Otherwise the focus
 * is nowhere, or within `from`.
 */
export function hasMovedOn(from?: Element | null): boolean {
  const { activeElement, body } = document
  return activeElement !== null && activeElement !== body && activeElement !== heir && !from?.contains(activeElement)
}

/**
 * Keeps the focus, which browsers take from removed elements and from a button that is disabled while it works. The
 * button gets it back; after a removal the heading gets it, unless somebody or something moves it. Used once.
 */
export function useFocusKept(): void {
  let last: HTMLElement | null = null
  let busy: HTMLElement | null = null
  const isNowhere = () => document.activeElement === document.body

  useEventListener('focusin', ({ target }) => {
    last = target as HTMLElement
    if (heir !== last) heir = null
  })
  // A click beside the element means that the user wants no focus.
  useEventListener('pointerdown', ({ target }) => last?.contains(target as Node) || (last = null), { capture: true })

  useMutationObserver(() => document.body, () => {
    if (!last) return
    if (!last.isConnected) {
      last = null
      // First let other code choose a better place.
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

/**
 * Whether somebody went elsewhere while something was done: who types keeps their place. Who did not has the focus
 * nowhere, or where they were.
 */
export function hasMovedOn(from?: Element | null): boolean {
  const { activeElement } = document
  return activeElement !== null && activeElement !== document.body && !from?.contains(activeElement)
}

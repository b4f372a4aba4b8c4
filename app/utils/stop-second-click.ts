/** Stops the second click of a double click: it is meant for the first button, not for the one that replaced it. */
export function stopSecondClick(event: MouseEvent): void {
  if (event.detail > 1) event.stopPropagation()
}

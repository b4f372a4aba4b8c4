/** The second click of a double click is meant for what the first one pressed, and not for what took its place. */
export function stopSecondClick(event: MouseEvent): void {
  if (event.detail > 1) event.stopPropagation()
}

/** At most `max` UTF-16 units, ending in `…` when something was cut, never inside a surrogate pair. */
export function cut(text: string, max: number): string {
  if (text.length <= max) return text
  const end = /[\uD800-\uDBFF]/.test(text.charAt(max - 2)) ? max - 2 : max - 1
  return `${text.slice(0, end)}…`
}

/** A field's name within `max`; one that nobody could see is told in words. */
export function fieldName(label: string, max: number): string {
  return cut(label.trim() ? label : '(no name)', max)
}

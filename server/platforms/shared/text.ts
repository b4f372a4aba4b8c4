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

/** The text without control characters, which few platforms keep; line ends become `\n`, as platforms send them. */
export function printable(text: string): string {
  return text.toWellFormed().replace(/\r\n?/g, '\n').replace(/[^\P{Cc}\n\t]/gu, '')
}

export function chunk<T>(items: readonly T[], size: number): T[][] {
  const starts = Array.from({ length: Math.ceil(items.length / size) }, (_, index) => index * size)
  return starts.map(start => items.slice(start, start + size))
}

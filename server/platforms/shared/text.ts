import { cut } from '../../../shared/utils/text'

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

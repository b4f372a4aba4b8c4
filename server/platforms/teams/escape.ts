import type { Timestamp } from '../../../shared/types/line'
import { printable } from '../shared/text'

/**
 * What clients replace even in literal text
 * (https://learn.microsoft.com/adaptive-cards/authoring-cards/text-features#datetime-formatting-and-localization).
 */
const MACRO = /\{(?=\{(?:DATE|TIME)\()/gi

/** Runs of a `RichTextBlock` are literal but for dates; an invisible joiner between the braces keeps those. */
export function withoutMacros(text: string): string {
  return printable(text).replace(MACRO, '{\u2060')
}

/** Replaced by clients; it knows no seconds (the same page). */
export function macro({ at, shows }: Timestamp): string {
  const when = `${new Date(at).toISOString().slice(0, 'YYYY-MM-DDThh:mm:ss'.length)}Z`
  return `${shows === 'date' ? `{{DATE(${when}, SHORT)}} ` : ''}{{TIME(${when})}}`
}

import type { Timestamp } from '../../../shared/types/line'
import { printable } from '../shared/text'

/**
 * Macros that clients replace even in literal text
 * (https://learn.microsoft.com/adaptive-cards/authoring-cards/text-features#datetime-formatting-and-localization).
 */
const MACRO = /\{(?=\{(?:DATE|TIME)\()/gi

/** Breaks macros by an invisible joiner between the braces: runs of a `RichTextBlock` still interpret dates. */
export function withoutMacros(text: string): string {
  return printable(text).replace(MACRO, '{\u2060')
}

/** Macro that clients replace by a local time; it has no seconds (same page). */
export function macro({ at, shows }: Timestamp): string {
  const when = `${new Date(at).toISOString().slice(0, 'YYYY-MM-DDThh:mm:ss'.length)}Z`
  return `${shows === 'date' ? `{{DATE(${when}, SHORT)}} ` : ''}{{TIME(${when})}}`
}

import type { FieldRule } from '../../ports/field-rules'

/** Years stay as they are; so do more digits than anybody counts, on which BigInt spends the square of their time. */
const LONG_NUMBER = /^(-?\d{5,40})(\.\d+)?$/

/** The value as text: text as it is, everything else as compact JSON, never `[object Object]`. */
export function fieldText(value: unknown): string {
  return typeof value === 'string' ? value.toWellFormed() : JSON.stringify(value) ?? ''
}

/** The value as people read it, by what its form takes there; to the last digit, as it was sent. */
export function readText(value: unknown, { type }: FieldRule): string {
  const text = fieldText(value)
  switch (type) {
    case 'checkbox': return typeof value === 'boolean' ? value ? 'Yes' : 'No' : text
    case 'date': return inWords(text)
    case 'number': case 'integer': return grouped(text)
    default: return text
  }
}

function grouped(text: string): string {
  const [, whole, rest = ''] = LONG_NUMBER.exec(text) ?? []
  return whole ? BigInt(whole).toLocaleString('en') + rest : text
}

/** `22 November 2026`, in the order of the times on cards. */
function inWords(text: string): string {
  const date = new Date(/^\d{4}-\d{2}-\d{2}$/.test(text) ? text : NaN)
  const isDate = !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
  return isDate ? date.toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' }) : text
}

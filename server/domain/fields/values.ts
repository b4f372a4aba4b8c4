import { fieldTypeOf } from '../../../shared/field-types/field-types'
import { english } from '../../../shared/texts'
import type { FieldRule } from '../../ports/field-rules'
import { isObject } from '../json'
import { unwrapped, type Answer } from './answers'
import { isBranch } from './paths'

/** The value as text: text as it is, everything else as compact JSON, never `[object Object]`. */
export function fieldText(value: unknown): string {
  return typeof value === 'string' ? value.toWellFormed() : JSON.stringify(value) ?? ''
}

/** Most lines of one value on a card, which has room for fewer; the page shows all. */
const MOST_LINES = 200

/** Picture that a form sends as text, such as a signature */
const PICTURE = /^data:image\/([a-z\d.+-]+);base64,/i

/** The value for people, formatted by its type; numbers keep every digit that was sent. */
export function displayText(
  { value, choices }: Pick<Answer, 'value' | 'choices'>, rule: FieldRule, texts = english,
): string {
  if (isBranch(value)) return linesOf(value, choices).join('\n')
  const text = choices?.get(fieldText(value)) ?? fieldText(value)
  return fieldTypeOf(rule).show?.(text, value, texts) ?? pictureText(text) ?? text
}

/** `PNG picture, 12 KB` for a picture in a text; undefined for any other text. */
function pictureText(text: string): string | undefined {
  const [start, type] = PICTURE.exec(text.slice(0, 100)) ?? []
  if (start === undefined) return undefined
  const bytes = (text.length - start.length) * 3 / 4
  const kilobytes = Math.max(1, Math.round(bytes / 1024)).toLocaleString('en')
  return `${type!.replace(/\+.*/, '').toUpperCase()} picture, ${kilobytes} KB`
}

/** Lines of an object or a list: `city: Vienna`, what is inside of it indented. Texts of a list are a line each. */
function linesOf(value: object, choices?: Answer['choices']): string[] {
  const lines: string[] = []
  addLines(value, '', lines, choices)
  return lines.length > MOST_LINES ? [...lines.slice(0, MOST_LINES), '…'] : lines
}

function addLines(value: object, indent: string, lines: string[], choices?: Answer['choices']): void {
  const isList = Array.isArray(value)
  for (const [key, sent] of Object.entries(value) as [string, unknown][]) {
    if (lines.length > MOST_LINES) return
    // A chosen option in a list is its text, and JSON in a text is read as well.
    const child = unwrapped(sent).value
    const leaf = isBranch(child) ? inlineText(child) : leafText(child, choices)
    if (isList && leaf !== undefined) lines.push(`${indent}${leaf}`)
    else {
      const name = isList ? `${Number(key) + 1}.` : `${key.toWellFormed()}:`
      lines.push(leaf === undefined ? `${indent}${name}` : `${indent}${name} ${leaf}`)
      if (leaf === undefined) addLines(child as object, `${indent}  `, lines)
    }
  }
}

/** A list of texts and numbers in one line; undefined for a list or an object that needs more. */
function inlineText(value: object): string | undefined {
  const items: unknown[] = Object.values(value)
  if (items.length === 0) return ''
  const isInline = Array.isArray(value) && items.length <= MOST_LINES && !items.some(isBranch)
  return isInline ? items.map(item => leafText(item)).join(', ') : undefined
}

function leafText(value: unknown, choices?: Answer['choices']): string {
  const text = value === null ? '' : fieldText(value)
  return choices?.get(text) ?? pictureText(text) ?? text
}

/** Text of an input for the value: lines where `parseLines` can read them, JSON of other objects and lists. */
export function editText({ value, choices }: Pick<Answer, 'value' | 'choices'>): string {
  if (!isBranch(value)) return choices?.get(fieldText(value)) ?? fieldText(value)
  if (!hasLines(value)) return fieldText(value)
  return Array.isArray(value)
    ? value.map((item: string) => choices?.get(item) ?? item).join('\n')
    : Object.entries(value).map(([key, text]) => `${key}: ${text}`).join('\n')
}

/**
 * Reads the lines of an input back: a line an item, or a line a member of the object. Undefined if the value has no
 * lines, or if a line belongs to no member.
 */
export function parseLines(original: unknown, text: string): object | undefined {
  if (!hasLines(original)) return undefined
  const lines = text.split(/\r\n?|\n/).map(line => line.trim()).filter(Boolean)
  if (Array.isArray(original)) return lines
  const keys = Object.keys(original)
  const members = lines.map(line => [keys.find(key => line.startsWith(`${key}:`)), line] as const)
  if (members.some(([key]) => key === undefined)) return undefined
  const typed = new Map(members.map(([key, line]) => [key!, line.slice(key!.length + 1).trim()]))
  return Object.fromEntries(keys.map(key => [key, typed.get(key) ?? '']))
}

/** True for a list of texts, and for an object of texts, each on one line. */
function hasLines(value: unknown): value is string[] | Record<string, string> {
  const isLine = (each: unknown) => typeof each === 'string' && !/[\r\n]/.test(each) && each === each.trim()
  if (Array.isArray(value)) return value.length > 0 && value.every(each => isLine(each) && each !== '')
  const keys = isObject(value) ? Object.keys(value) : []
  const areNames = keys.length > 0 && keys.every(key => isLine(key) && !key.includes(':'))
  return areNames && Object.values(value as object).every(isLine)
}

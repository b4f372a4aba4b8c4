import { fieldTypeOf } from '../../../shared/field-types/field-types'
import { english, type Texts } from '../../../shared/texts'
import { DATA_URL, DATA_URL_START } from '../../../shared/utils/data-url'
import type { FieldRule } from '../../ports/field-rules'
import { isObject, orderedObject } from '../json'
import { unwrapped, type Answer, type AnswerContent } from './answers'
import { isBranch, isVastJson } from './paths'

/** Returns the value as text: text unchanged, everything else as compact JSON, never `[object Object]`. */
export function fieldText(value: unknown): string {
  return typeof value === 'string' ? value.toWellFormed() : JSON.stringify(value) ?? ''
}

/** Max lines of one value on a card, more than any card has room for; the page shows all. */
export const MOST_LINES = 200

/** Returns the value for people, formatted by its type. Numbers keep every digit that was sent. */
export function displayText(
  { value, choices }: AnswerContent, rule: FieldRule, texts = english,
): string {
  if (isBranch(value)) return linesOf(value, texts, choices).join('\n')
  const text = choices?.get(fieldText(value)) ?? fieldText(value)
  return fieldTypeOf(rule).show?.(text, value, texts) ?? fileText(text, texts) ?? text
}

/** Returns e.g. `PNG picture, 12 KB` for a file in a text, or for very large JSON; undefined for any other text. */
function fileText(text: string, texts: Texts): string | undefined {
  const sizeOf = (bytes: number) => (
    `${Math.max(1, Math.round(bytes / 1024)).toLocaleString(texts.language)} KB`
  )
  if (isVastJson(text)) return texts('card.field.file', { type: 'JSON', size: sizeOf(text.length) })
  const [start, image, type = ''] = DATA_URL.exec(text.slice(0, DATA_URL_START)) ?? []
  if (start === undefined) return undefined
  return texts(image ? 'card.field.picture' : 'card.field.file', {
    type: type.replace(/\+.*/, '').toUpperCase(), size: sizeOf((text.length - start.length) * 3 / 4),
  })
}

/** Returns the lines of an object or a list: `city: Vienna`, or one text of a list. Nested values are indented. */
function linesOf(value: object, texts: Texts, choices?: Answer['choices']): string[] {
  const lines: string[] = []
  const addLines = (branch: object, indent: string) => {
    const isList = Array.isArray(branch)
    const items = isList ? branch.slice(0, MOST_LINES + 1) : branch
    for (const [key, sent] of Object.entries(items) as [string, unknown][]) {
      if (lines.length > MOST_LINES) return
      // Show the text of a chosen option, and the values of JSON in a text.
      const child = unwrapped(sent).value
      const leaf = isBranch(child) ? inlineText(child, texts) : leafText(child, texts, choices)
      const name = isList ? `${Number(key) + 1}.` : `${key.toWellFormed()}:`
      lines.push(`${indent}${[...isList && leaf !== undefined ? [] : [name], ...leaf ? [leaf] : []].join(' ')}`)
      if (leaf === undefined) addLines(child as object, `${indent}  `)
    }
  }
  addLines(value, '')
  return lines.length > MOST_LINES ? [...lines.slice(0, MOST_LINES), '…'] : lines
}

/** Returns a list of texts and numbers in one line; undefined if the value needs several lines. */
function inlineText(value: object, texts: Texts): string | undefined {
  if (!Array.isArray(value)) return Object.keys(value).length === 0 ? '' : undefined
  const isInline = value.length <= MOST_LINES && !value.some(isBranch)
  return isInline ? value.map(item => leafText(item, texts)).join(', ') : undefined
}

function leafText(value: unknown, texts: Texts, choices?: Answer['choices']): string {
  const text = value === null ? '' : fieldText(value)
  return choices?.get(text) ?? fileText(text, texts) ?? text
}

/** Returns the value as text to edit: lines if `parseLines` can read them back, else JSON for objects and lists. */
export function editText(answer: AnswerContent): string {
  const { value, choices } = answer
  if (!isBranch(value)) return choices?.get(fieldText(value)) ?? fieldText(value)
  if (!hasLines(answer)) return fieldText(value)
  return Array.isArray(value)
    ? value.map((item: string) => choices?.get(item) ?? item).join('\n')
    : Object.entries(value).map(([key, text]) => `${key}: ${text}`).join('\n')
}

/**
 * Parses the lines of an input. Each line is an item of the list, or a member of the object. Undefined if a line
 * matches no member, or if two lines match the same member.
 *
 * @param original answer for which `hasLines` is true
 */
export function parseLines({ value: original, choices }: AnswerContent, text: string): unknown {
  const lines = text.split(/\r\n?|\n/).map(line => line.trim()).filter(Boolean)
  if (Array.isArray(original)) {
    const ids = new Map([...choices ?? []].toReversed().map(([id, label]) => [label, id]))
    return lines.map(line => ids.get(line) ?? line)
  }
  const members = new Map(lines.map((line): [string, string] => {
    const [name = ''] = line.split(':', 1)
    return [name.trim(), line.slice(name.length + 1).trim()]
  }))
  const names = new Set(Object.keys(original as object))
  const areMembers = members.size === lines.length && [...members.keys()].every(name => names.has(name))
  return areMembers ? orderedObject([...names].map(name => [name, members.get(name) ?? ''])) : undefined
}

/** True for a list of texts, and for an object of texts, each on one line. */
export function hasLines({ value, choices }: AnswerContent): boolean {
  const isLine = (each: unknown) => typeof each === 'string' && !/[\r\n]/.test(each) && each === each.trim()
  if (Array.isArray(value)) return value.length > 0 && value.every(
    each => isLine(each) && each !== '' && isLine(choices?.get(each as string) ?? each),
  )
  const keys = isObject(value) ? Object.keys(value) : []
  const areNames = keys.length > 0 && keys.every(key => isLine(key) && key !== '' && !key.includes(':'))
  return areNames && Object.values(value as object).every(isLine)
}

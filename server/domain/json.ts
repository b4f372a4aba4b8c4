import type { z } from 'zod'
import { InvalidRequest } from './errors'

/**
 * JSON text that `JSON.stringify` writes unchanged:
 * https://developer.mozilla.org/en-US/docs/Web/JavaScript/Reference/Global_Objects/JSON/rawJSON
 */
interface RawJson { readonly rawJSON: string }

declare global {
  // TypeScript does not know these yet; Node has them since version 22.
  interface JSON {
    rawJSON(text: string): RawJson
    isRawJSON(value: unknown): value is RawJson
  }
}

/** Node's JSON.parse passes `source`, the original text of a number, string or literal, to the reviver. */
const parseWithSource = JSON.parse as (
  text: string, reviver: (key: string, value: unknown, context: { source: string }) => unknown,
) => unknown

/** An object has the same key twice: parsing would lose one of the values. */
export class RepeatedKey extends SyntaxError {
  /** @param at position of the second key, in characters */
  constructor(readonly at: number) {
    super(`A key is repeated at position ${at}`)
  }
}

const [QUOTE, BACKSLASH, COLON, OPEN, CLOSE, MINUS, ZERO, NINE, SPACE] = Array.from(
  '"\\:{}-09 ', character => character.charCodeAt(0),
) as [number, number, number, number, number, number, number, number, number]

const NUMBER = /-?\d[\d.eE+-]*/y

/**
 * Parses JSON without changing a value or the order of keys. Numbers that JavaScript would write differently (`1.0`,
 * `-0`, `1e400`, or more than 17 digits) become `JSON.rawJSON`, which keeps the original text. Scans the text once,
 * 3 µs for a form of 1.6 KB. Texts with such numbers, or with keys such as `2`, are parsed a second time.
 *
 * @throws RepeatedKey, SyntaxError
 */
export function parseJson(text: string): unknown {
  const value = JSON.parse(text) as unknown
  const { areNumbersKept, movedCount, keyStarts } = scan(text)
  const isReordered = movedCount > 0 && movedCount <= MOST_MOVED
  if (isReordered) return withoutMarks(parseNumbers(withMarks(text, keyStarts)))
  return areNumbersKept ? value : parseNumbers(text)
}

function parseNumbers(text: string): unknown {
  return parseWithSource(
    text, (_, each, { source }) => typeof each === 'number' && !isKept(source) ? JSON.rawJSON(source) : each,
  )
}

/** Key that JavaScript moves to the front of an object, in numerical order. */
const INDEX = /^(?:0|[1-9]\d{0,9})$/

/** Max numeric keys whose order is kept. A text with more is no form, and the order would cost half a second. */
const MOST_MOVED = 1000

/**
 * Returns an object that lists its keys, and is written as JSON, in the order of the entries. In a plain object, keys
 * such as `2` come first. The object must not be changed.
 */
export function orderedObject(entries: readonly (readonly [string, unknown])[]): Record<string, unknown> {
  const object = Object.fromEntries(entries)
  if (!entries.some(([key]) => INDEX.test(key))) return object
  const keys = [...new Set(entries.map(([key]) => key))]
  return new Proxy(object, { ownKeys: () => keys })
}

/** Mark before each key, so that no key is an index. */
const MARK = '_'

function withMarks(text: string, keyStarts: readonly number[]): string {
  const starts = keyStarts.map(start => start + 1)
  return [0, ...starts].map((start, index) => text.slice(start, starts[index])).join(MARK)
}

function withoutMarks(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || isNumber(value)) return value
  if (Array.isArray(value)) return value.map(withoutMarks)
  return orderedObject(Object.entries(value).map(([key, each]) => [key.slice(MARK.length), withoutMarks(each)]))
}

/** True if a value is a number, even one that JavaScript cannot represent exactly. */
export function isNumber(value: unknown): boolean {
  return typeof value === 'number' || JSON.isRawJSON(value)
}

/** True if a value is an object with fields, not a list. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value)
}

function isKept(source: string): boolean {
  return String(Number(source)) === source
}

/** @param text valid JSON @throws RepeatedKey */
function scan(text: string): { areNumbersKept: boolean, movedCount: number, keyStarts: number[] } {
  let [areNumbersKept, movedCount] = [true, 0]
  const keyStarts: number[] = []
  /** Keys found so far in each object that has not ended yet. */
  const objects: Set<string>[] = []
  for (let index = 0; index < text.length; index++) {
    const character = text.charCodeAt(index)
    if (character === QUOTE) {
      const end = endOfString(text, index)
      if (isKey(text, end)) {
        const rawKey = text.slice(index, end + 1)
        const key = rawKey.includes('\\') ? JSON.parse(rawKey) as string : rawKey.slice(1, -1)
        const keys = objects.at(-1)!
        if (keys.has(key)) throw new RepeatedKey(index)
        keys.add(key)
        keyStarts.push(index)
        if (INDEX.test(key)) movedCount++
      }
      index = end
    }
    else if (character === OPEN) objects.push(new Set())
    else if (character === CLOSE) objects.pop()
    else if (character === MINUS || (character >= ZERO && character <= NINE)) {
      NUMBER.lastIndex = index
      const [source] = NUMBER.exec(text)!
      areNumbersKept &&= isKept(source)
      index += source.length - 1
    }
  }
  return { areNumbersKept, movedCount, keyStarts }
}

/** Returns the end of the string. Uses `indexOf` between the quotes, because it is as fast as reading the memory. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); ; end = text.indexOf('"', end + 1)) {
    let backslashes = 0
    while (text.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes++
    if (backslashes % 2 === 0) return end
  }
}

function isKey(text: string, end: number): boolean {
  let position = end + 1
  while (text.charCodeAt(position) <= SPACE) position++
  return text.charCodeAt(position) === COLON
}

/** Parses HTTP input by the schema. @throws InvalidRequest, with what to change */
export function parsed<T>(schema: z.ZodType<T>, input: unknown): T {
  const { success, data, error } = schema.safeParse(input)
  if (success) return data
  const lines = error.issues.map(({ path, message }) => [...path, message].join(': '))
  throw new InvalidRequest(`${[...new Set(lines)].join('; ')}.`)
}

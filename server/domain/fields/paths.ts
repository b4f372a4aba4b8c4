import { isNestedTooDeep } from '../../../shared/utils/json'
import { isNumber, orderedObject, parseJson } from '../json'

/** Step into a text that holds JSON. */
export const PARSED = Symbol('parsed JSON')

/** Steps from the data to a value: keys of objects, positions of lists, and `PARSED` */
export type Path = readonly (string | number | typeof PARSED)[]

/** Path as people and `forms.config.ts` write it, such as `name` or `payload.data.Email`. A field keeps its key. */
export function writtenPath(path: Path): string {
  return path.filter(step => step !== PARSED).join('.')
}

/** New value of the data at a path, which exists */
export interface Change {
  path: Path
  value: unknown
}

/** Copy of the data with these changes. All other values stay as they were sent. */
export function withChanges(data: unknown, changes: readonly Change[]): unknown {
  if (changes.length === 0) return data
  const wholeChange = changes.find(({ path }) => path.length === 0)
  if (wholeChange) return wholeChange.value
  const changesByStep = Map.groupBy(changes, ({ path }) => path[0]!)
  const changed = (step: Path[number], value: unknown) => withChanges(
    value, (changesByStep.get(step) ?? []).map(({ path, ...change }) => ({ ...change, path: path.slice(1) })),
  )
  if (changesByStep.has(PARSED)) return JSON.stringify(changed(PARSED, jsonOf(data)))
  if (Array.isArray(data)) return data.map((each, index) => changed(index, each))
  return orderedObject(Object.entries(data as object).map(([key, each]) => [key, changed(key, each)]))
}

/** Value at a path; undefined if the data has no such path. */
export function valueAt(data: unknown, path: Path): unknown {
  return path.reduce((value, step) => {
    if (step === PARSED) return jsonOf(value)
    return isBranch(value) && Object.hasOwn(value, step) ? value[step as keyof typeof value] : undefined
  }, data)
}

/** True for a list or an object. */
export function isBranch(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !isNumber(value)
}

/** Commas in a text that is read as JSON; reading more would take longer than all else on a form's way in. */
const MOST_COMMAS = 5000

/** List or object whose JSON the text is; undefined for any other text, and for one with too many values. */
export function jsonOf(text: unknown): object | undefined {
  const trimmedText = enclosedIn(text)
  if (trimmedText === undefined || hasMoreCommas(trimmedText) || isNestedTooDeep(trimmedText)) return undefined
  try {
    const value = parseJson(trimmedText)
    return isBranch(value) ? value : undefined
  }
  catch {
    return undefined
  }
}

/** True for a text that seems to be JSON, with more values than are read. */
export function isVastJson(text: string): boolean {
  const trimmedText = enclosedIn(text)
  return trimmedText !== undefined && hasMoreCommas(trimmedText)
}

/** The text without blanks at its ends, if it begins and ends like a list or an object */
function enclosedIn(text: unknown): string | undefined {
  if (typeof text !== 'string' || !/^\s*[[{]/.test(text)) return undefined
  const trimmedText = text.trim()
  return trimmedText.endsWith(trimmedText.startsWith('{') ? '}' : ']') ? trimmedText : undefined
}

function hasMoreCommas(text: string): boolean {
  let position = -1
  for (let count = 0; count <= MOST_COMMAS; count++) {
    position = text.indexOf(',', position + 1)
    if (position < 0) return false
  }
  return true
}

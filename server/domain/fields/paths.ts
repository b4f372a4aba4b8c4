import { isNestedTooDeep } from '../../../shared/utils/json'
import { isNumber, orderedObject, parseJson } from '../json'

/** Step into a text that contains JSON */
export const PARSED = Symbol('parsed JSON')

/** Steps from the data to a value: keys of objects, positions of lists, and `PARSED` */
export type Path = readonly (string | number | typeof PARSED)[]

/** Returns the path as in `forms.config.ts`, such as `payload.data.Email`; for a field of the body, its key. */
export function writtenPath(path: Path): string {
  return path.filter(step => step !== PARSED).join('.')
}

/** New value for an existing path of the data */
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

/** Max commas in a text that is parsed as JSON; with more, parsing would take longer than all other steps of intake. */
const MOST_COMMAS = 5000

/** Returns the list or object if the text is JSON; undefined for other text, or if it has no values or too many. */
export function jsonOf(text: unknown): object | undefined {
  const trimmedText = enclosedIn(text)
  if (trimmedText === undefined || hasMoreCommas(trimmedText) || isNestedTooDeep(trimmedText)) return undefined
  try {
    const value = parseJson(trimmedText)
    return isBranch(value) && Object.keys(value).length > 0 ? value : undefined
  }
  catch {
    return undefined
  }
}

/** True for a text that looks like JSON but has too many values to parse. */
export function isVastJson(text: string): boolean {
  const trimmedText = enclosedIn(text)
  return trimmedText !== undefined && hasMoreCommas(trimmedText)
}

/** Returns the trimmed text if it begins and ends like a list or an object. */
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

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

/** Copy of the data with another value at the path, which exists. All other values stay as they were sent. */
export function withValueAt(data: unknown, [step, ...rest]: Path, value: unknown): unknown {
  if (step === undefined) return value
  if (step === PARSED) return JSON.stringify(withValueAt(jsonOf(data), rest, value))
  if (Array.isArray(data)) return data.map((each, index) => index === step ? withValueAt(each, rest, value) : each)
  return orderedObject(Object.entries(data as object).map(
    ([key, each]) => [key, key === step ? withValueAt(each, rest, value) : each],
  ))
}

/** True for a list or an object. */
export function isBranch(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !isNumber(value)
}

/** List or object whose JSON the text is; undefined for any other text. */
export function jsonOf(text: unknown): object | undefined {
  const trimmedText = typeof text === 'string' ? text.trim() : ''
  const isEnclosed = ['{}', '[]'].includes(`${trimmedText.at(0)}${trimmedText.at(-1)}`)
  if (!isEnclosed || isNestedTooDeep(trimmedText)) return undefined
  try {
    const value = parseJson(trimmedText)
    return isBranch(value) ? value : undefined
  }
  catch {
    return undefined
  }
}

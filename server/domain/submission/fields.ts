import type { EditInput } from '../../ports/board'
import type { SubmissionData } from '../../ports/submission'
import { isNumber, parseJson } from '../json'
import type { Edit } from './events'

/** The value as people read it: text as it is, everything else as compact JSON, never `[object Object]`. */
export function fieldText(value: unknown): string {
  return typeof value === 'string' ? value.toWellFormed() : JSON.stringify(value) ?? ''
}

/** One input per field. Ids are positions, because keys may be empty, long or repeated after cutting. */
export function editInputs(data: SubmissionData): EditInput[] {
  return Object.entries(data).map(
    ([label, value], position) => ({ id: `f${position}`, label: label.toWellFormed(), value: fieldText(value) }),
  )
}

/**
 * Puts what a reviewer typed back into the data. Fields that were not offered or not touched keep value and type;
 * a touched number, boolean or JSON keeps its type as long as the new text still is one.
 *
 * @param submitted typed texts by input id; inputs that were not offered are absent
 * @returns the edit, or an error text per input id
 */
export function applyEdits(
  data: SubmissionData, submitted: Readonly<Record<string, string>>,
): Edit | { errors: Record<string, string> } {
  const errors: Record<string, string> = {}
  const edited: string[] = []
  const entries = Object.entries(data).map(([key, value], position): [string, unknown] => {
    const id = `f${position}`
    const typed = Object.hasOwn(submitted, id) ? submitted[id] : undefined
    if (typed === undefined || comparable(typed) === comparable(fieldText(value))) return [key, value]
    const parsed = reviveLike(value, typed)
    if ('error' in parsed) {
      errors[id] = parsed.error
      return [key, value]
    }
    edited.push(key)
    return [key, parsed.value]
  })
  // fromEntries defines own properties, so a field named `__proto__` stays data.
  return Object.keys(errors).length > 0 ? { errors } : { data: Object.fromEntries(entries), edited }
}

/** Chat platforms normalise line ends, trim, and drop control characters: that is not an edit. */
function comparable(text: string): string {
  // eslint-disable-next-line no-control-regex
  return text.toWellFormed().replace(/\r\n?/g, '\n').replace(/[\u0000-\u0008\u000B-\u001F\u007F]/g, '').trim()
}

function reviveLike(original: unknown, typed: string): { value: unknown } | { error: string } {
  if (typeof original === 'string' || original === null) return { value: typed }
  const parsed = parsedText(typed)
  if (isNumber(original)) return { value: isNumber(parsed) ? parsed : typed }
  if (typeof original !== 'object') return { value: typeof parsed === typeof original ? parsed : typed }
  if (typeof parsed === 'object' && parsed !== null && !isNumber(parsed)
    && Array.isArray(parsed) === Array.isArray(original)) return { value: parsed }
  return {
    error: Array.isArray(original)
      ? 'This field is a JSON list. Keep it valid, like ["a", "b"].'
      : 'This field is a JSON object. Keep it valid, like {"a": 1}.',
  }
}

function parsedText(text: string): unknown {
  try {
    return parseJson(text)
  }
  catch {
    return undefined
  }
}

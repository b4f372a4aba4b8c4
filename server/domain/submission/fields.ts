import type { EditInput } from '../../ports/board'
import type { EmailField } from '../../ports/delivery'
import { FIELD_TEXTS } from '../../../shared/field-texts'
import { visible } from '../../../shared/utils/text'
import type { FieldRule } from '../../ports/field-rules'
import type { Form } from '../../ports/form'
import type { Field, Submission, SubmissionData } from '../../ports/submission'
import { isNumber, parseJson } from '../json'
import type { Edit } from './events'
import { problemOf, valueOf } from './field-rules'
import { fieldText, readText } from './field-text'
import { digest } from './record'

type Rules = NonNullable<Form['fields']>

export function ruleOf(rules: Rules, key: string): FieldRule {
  return Object.hasOwn(rules, key) ? rules[key]! : {}
}

/**
 * The fields as people read them: under their labels, and as their types are read.
 *
 * @param also what else is to be known of a value
 */
export function readFields(
  submission: Submission, { labels, fields: rules = {} }: Pick<Form, 'labels' | 'fields'>,
  also?: (value: unknown, rule: FieldRule) => Pick<EmailField, 'tree'>,
): EmailField[] {
  return inOrder(Object.entries(submission.data ?? {}).map(([key, value]) => {
    const rule = ruleOf(rules, key)
    return {
      label: key.toWellFormed(), value: visible(readText(value, rule)), ...editOf(submission, key, rule),
      ...also?.(value, rule),
    }
  }), labels).map(field => ({ ...field, label: visible(field.label) }))
}

/** What has a label comes first, under it and in the order of the labels; the rest follows as it came. */
export function inOrder<T extends { label: string }>(items: readonly T[], labels: Form['labels']): T[] {
  const keys = Object.keys(labels)
  const place = ({ label }: T) => Object.hasOwn(labels, label) ? keys.indexOf(label) : keys.length
  return [...items].sort((a, b) => place(a) - place(b)).map(
    item => Object.hasOwn(labels, item.label) ? { ...item, label: labels[item.label]! } : item,
  )
}

/** Whether a field was edited, and what it was before; an empty one was what a script left empty. */
export function editOf({ edited, before }: Submission, key: string, rule: FieldRule): Pick<Field, 'edited' | 'was'> {
  const isKnown = edited.includes(key) && before !== undefined && Object.hasOwn(before, key)
  return { edited: edited.includes(key), ...isKnown && { was: visible(readText(before[key] ?? '', rule)) } }
}

const UNKNOWN = 'This submission has no such field.'

/** One input per field. Ids are positions, because keys may be empty, long or repeated after cutting. */
export function editInputs(data: SubmissionData, rules: Rules = {}): EditInput[] {
  return Object.entries(data).map(([key, value], position) => {
    const rule = ruleOf(rules, key)
    const input = { id: `f${position}`, label: key.toWellFormed(), value: inputText(value, rule) }
    return rule.type && isOffered(input.value, rule) ? { ...input, rule } : input
  })
}

/** What an input holds: what a checkbox means, which may be sent as `on` or `yes`, and any other value as text. */
function inputText(value: unknown, rule: FieldRule): string {
  const text = fieldText(value)
  return rule.type === 'checkbox' ? fieldText(valueOf(text, rule)) : text
}

/** Marks of values, by input id. */
export type Marks = ReadonlyMap<string, string>

/** Tells what an input holds from any other without being it. */
export function markOf(text: string): string {
  return digest(comparable(text)).slice(0, 8)
}

/** Whether an input for such values can show this one; any other is edited as the text that it is. */
function isOffered(text: string, rule: FieldRule): boolean {
  if (rule.type === 'file') return false
  const wrong = problemOf(valueOf(text, rule), rule)
  return !wrong || wrong.problem === 'required'
}

/**
 * Puts what a reviewer typed back into the data. Fields that were not offered or not touched keep value and type;
 * a touched number, boolean or JSON keeps its type as long as the new text still is one. What the form says of a field
 * is held to where it is touched.
 *
 * @param submitted typed texts by input id; inputs that were not offered are absent
 * @param shown what the inputs of a platform's form showed, which may be other data than these: whatever still holds it
 * was not touched. Such a form may bring more than its inputs; anybody else names inputs only
 * @returns the edit, or an error text per input id
 */
export function applyEdits(
  data: SubmissionData, submitted: Readonly<Record<string, string>>, rules: Rules = {}, shown?: Marks,
): Edit | { errors: Record<string, string> } {
  const ids = new Set(Object.keys(data).map((_, position) => `f${position}`))
  const unknown = shown ? [] : Object.keys(submitted).filter(id => !ids.has(id))
  const errors = Object.fromEntries(unknown.map(id => [id, UNKNOWN]))
  const edited: string[] = []
  const entries = Object.entries(data).map(([key, value], position): [string, unknown] => {
    const id = `f${position}`
    const typed = Object.hasOwn(submitted, id) ? submitted[id] : undefined
    const rule = ruleOf(rules, key)
    const text = inputText(typed ?? '', rule)
    const isKept = typed === undefined || comparable(text) === comparable(inputText(value, rule))
      || markOf(text) === shown?.get(id)
    if (isKept) return [key, value]
    const parsed = rule.type ? held(typed, rule) : reviveLike(value, typed)
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

function held(typed: string, rule: FieldRule): { value: unknown } | { error: string } {
  const value = valueOf(typed, rule)
  const wrong = problemOf(value, rule)
  return wrong ? { error: FIELD_TEXTS[wrong.problem].replace('{limit}', String(wrong.limit)) } : { value }
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

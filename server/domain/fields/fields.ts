import { z } from 'zod'
import { FIELD_TEXTS } from '../../../shared/field-texts'
import { visible } from '../../../shared/utils/text'
import type { EditInput } from '../../ports/board'
import type { EmailField } from '../../ports/delivery'
import type { FieldRule, FieldProblem } from '../../ports/field-rules'
import type { FileRule, StoredFile } from '../../ports/files'
import type { Form } from '../../ports/form'
import type { Field, Submission, SubmissionData } from '../../ports/submission'
import { InvalidFields } from '../errors'
import { isNumber, parseJson, isObject } from '../json'
import { sentTo } from './addresses'
import type { Edit } from '../lifecycle/events'
import { digest } from '../lifecycle/record'

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
      label: key.toWellFormed(), value: visible(displayText(value, rule)), ...editOf(submission, key, rule),
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
  return { edited: edited.includes(key), ...isKnown && { was: visible(displayText(before[key] ?? '', rule)) } }
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
  return rule.type === 'checkbox' ? fieldText(parseTyped(text, rule)) : text
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
  const wrong = problemOf(parseTyped(text, rule), rule)
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
  const value = parseTyped(typed, rule)
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

/** Years stay as they are; so do more digits than anybody counts, on which BigInt spends the square of their time. */
const LONG_NUMBER = /^(-?\d{5,40})(\.\d+)?$/

/** The value as text: text as it is, everything else as compact JSON, never `[object Object]`. */
export function fieldText(value: unknown): string {
  return typeof value === 'string' ? value.toWellFormed() : JSON.stringify(value) ?? ''
}

/** The value as people read it, by what its form takes there; to the last digit, as it was sent. */
export function displayText(value: unknown, { type }: FieldRule): string {
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

type Data = Readonly<Record<string, unknown>>

/** As HTML has floating-point numbers, or a little more freely: https://html.spec.whatwg.org/#valid-floating-point-number */
const NUMBER = /^(?:\+|(-)?)(?=\.?\d)(\d{0,400})(?:\.(\d{0,400}))?(e[+-]?\d{1,4})?$/i

/**
 * Digits with what people write between them (E.164 has 15 digits), and an extension: browsers take anything. Letters
 * are in both cases, because a JSON Schema has no flags.
 */
const PHONE = /^[+(]{0,2}\d[\d\p{Zs}(),./\p{Pd}]{2,40}(?:(?:[xX#]|[eE][xX][tT]\.?)\p{Zs}?\d{1,8})?$/u

/** A whole number as JSON has it, of any size. */
const WHOLE = /^-?\d+(?:\.0*)?(?:e\+?\d+)?$/i

/** What a browser sends of a checkbox, and what people or programs write instead. */
const TICKS: Readonly<Record<string, boolean>> = {
  on: true, true: true, 1: true, yes: true, off: false, false: false, 0: false, no: false,
}

/** The value of a field in which files came: nothing that is sent is one. */
const FILES = Symbol('files')

/**
 * The data with values of the types that its form says; what a browser can send as text only becomes a number or a
 * boolean. Fields of which the form says nothing stay as they are, and so does what is wrong.
 */
export function converted(data: unknown, { fields }: Pick<Form, 'fields'>): unknown {
  if (!fields || !isObject(data)) return data
  return Object.fromEntries(Object.entries(data).map(([key, value]) => (
    [key, Object.hasOwn(fields, key) ? parseTyped(value, fields[key]!) : value]
  )))
}

/**
 * The data as `converted`, of a form that takes it.
 *
 * @param files what came beside the data
 * @throws InvalidFields
 */
export function typed(
  data: unknown, form: Pick<Form, 'fields' | 'extra' | 'labels'>, files: readonly Pick<StoredFile, 'field'>[] = [],
): unknown {
  const values = converted(data, form)
  if (!form.fields || !isObject(values)) return values
  const withFiles = Object.fromEntries([...Object.entries(values), ...files.map(({ field }) => [field, FILES])])
  const problems = problemsOf(withFiles, form)
  if (problems.length > 0) throw new InvalidFields(problems)
  return values
}

/** What is wrong with these values, in the order of the form's fields. */
function problemsOf(
  values: Data, { fields = {}, extra, labels }: Pick<Form, 'fields' | 'extra' | 'labels'>,
): FieldProblem[] {
  const named = (key: string) => ({ key, label: Object.hasOwn(labels, key) ? labels[key]! : key })
  const wrong = Object.entries(fields).flatMap(([key, rule]): FieldProblem[] => {
    const problem = problemOf(Object.hasOwn(values, key) ? values[key] : undefined, rule)
    return problem ? [{ ...named(key), ...problem }] : []
  })
  const unknown = extra === 'refuse' ? Object.keys(values).filter(key => !Object.hasOwn(fields, key)) : []
  return [...wrong, ...unknown.map(key => ({ ...named(key), problem: 'unknown' as const }))]
}

/** What is wrong with the value of one field, which `valueOf` made; undefined when nothing is. */
function problemOf(value: unknown, rule: FieldRule): Omit<FieldProblem, 'key' | 'label'> | undefined {
  const isMissing = value === undefined || value === null || (typeof value === 'string' && value.trim() === '')
  const isUnticked = rule.type === 'checkbox' && value === false
  if (isMissing || isUnticked) {
    return rule.required ? { problem: rule.type === 'file' ? 'file' : 'required' } : undefined
  }
  if (!rule.type) return undefined
  const number = isNumber(value) ? String(JSON.stringify(value)) : undefined
  if (number && rule.type === 'integer' && !isWhole(number)) return { problem: 'integer' }
  // A number that JavaScript cannot hold is near enough to what it can, to be compared.
  const { error } = schemaOf(rule).safeParse(number === undefined ? value : Number(number))
  if (!error) return undefined
  const problem = error.issues[0]!.message as FieldProblem['problem']
  const limits = { tooShort: rule.minLength, tooLong: rule.maxLength, tooLow: rule.min, tooHigh: rule.max } as const
  return { problem, ...problem in limits && { limit: limits[problem as keyof typeof limits] } }
}

/** Many digits hide a fraction from JavaScript, and an exponent makes some of them whole. */
function isWhole(text: string): boolean {
  return WHOLE.test(text) || Number.isSafeInteger(Number(text))
}

/** A value as its type has it, where it is text that can be read so. */
function parseTyped(value: unknown, { type }: FieldRule): unknown {
  if (typeof value !== 'string') return value
  const text = value.trim()
  if (type === 'checkbox') return TICKS[text.toLowerCase()] ?? value
  const number = type === 'number' || type === 'integer' ? NUMBER.exec(text) : null
  if (!number) return value
  const [, sign = '', whole = '', fraction, exponent = ''] = number
  // As JSON has it, digit by digit.
  return parseJson(`${sign}${whole.replace(/^0+(?=\d)/, '') || '0'}${fraction ? `.${fraction}` : ''}${exponent}`)
}

const schemas = new WeakMap<FieldRule, z.ZodType>()

/** What checks a value, and what the JSON Schema of a form is made from. Its messages are names of problems. */
function schemaOf(rule: FieldRule): z.ZodType {
  const known = schemas.get(rule)
  if (known) return known
  const made = madeOf(rule)
  schemas.set(rule, made)
  return made
}

function madeOf({ type, min, max, minLength, maxLength, options = [] }: FieldRule): z.ZodType {
  const limited = (text: z.ZodString) => {
    const longer = minLength === undefined ? text : text.min(minLength, 'tooShort')
    return maxLength === undefined ? longer : longer.max(maxLength, 'tooLong')
  }
  // A browser counts a line break as one character, and sends two.
  const text = limited(z.string('text').overwrite(value => value.replaceAll(/\r\n?/g, '\n')))
  const line = limited(z.string('text').trim())
  switch (type) {
    case 'email': return line.refine(address => sentTo(address) !== undefined, 'email').meta({ format: 'email' })
    case 'url': return text.check(z.url({ protocol: /^https?$/, error: 'url' }))
    case 'tel': return line.check(z.regex(PHONE, 'tel'))
    case 'number': case 'integer': {
      // Not z.int: that takes no more digits than JavaScript counts with.
      const number = type === 'integer' ? z.number('integer').meta({ type: 'integer' }) : z.number('number')
      const higher = min === undefined ? number : number.min(Number(min), 'tooLow')
      return max === undefined ? higher : higher.max(Number(max), 'tooHigh')
    }
    case 'checkbox': return z.boolean('checkbox')
    case 'date': return z.iso.date('date').refine(value => min === undefined || value >= min, 'tooLow').refine(
      value => max === undefined || value <= max, 'tooHigh',
    )
    case 'select': return z.enum(options as [string], 'select')
    case 'file': return z.symbol('file')
    default: return text
  }
}

/** The JSON Schema of what a form takes (draft 2020-12); files, which are no JSON, as OpenAPI describes them. */
export function jsonSchemaOf({ fields = {}, extra, labels, name, files }: Form): object {
  const shape = Object.fromEntries(Object.entries(fields).map(([key, rule]) => {
    const isValue = rule.type && rule.type !== 'file'
    const schema = (isValue ? schemaOf(rule) : z.unknown()).meta({
      title: labels[key] ?? key, ...rule.type === 'file' && files && schemaOfFiles(files),
    })
    return [key, rule.required ? schema : schema.optional()]
  }))
  const whole = extra === 'refuse' ? z.strictObject(shape) : z.looseObject(shape)
  return z.toJSONSchema(whole.meta({ title: name }), { io: 'input' })
}

/** The JSON Schema of a field that takes files. */
export function schemaOfFiles({ max, maxBytes, types }: FileRule): object {
  const [type] = types
  const isOne = types.length === 1 && !type!.endsWith('/*')
  return {
    type: 'array', minItems: 1, maxItems: max,
    items: { type: 'string', format: 'binary', ...isOne && { contentMediaType: type }, maxLength: maxBytes },
    description: `Files, sent as multipart/form-data. By their content they are any of these: ${types.join(', ')}.`,
  }
}

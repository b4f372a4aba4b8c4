import { z } from 'zod'
import { fieldTypeOf, isFileField } from '../../../shared/field-types/field-types'
import { english, type Texts } from '../../../shared/texts'
import type { SchemaMakers } from '../../../shared/field-types/row'
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
 * Fields for people: under their labels, with values formatted by their types.
 *
 * @param addFacts adds further facts about a value
 */
export function readFields(
  submission: Submission, { labels, fields: rules = {} }: Pick<Form, 'labels' | 'fields'>, texts = english,
  addFacts?: (value: unknown, rule: FieldRule) => Pick<EmailField, 'tree'>,
): EmailField[] {
  return inOrder(Object.entries(submission.data ?? {}).map(([key, value]) => {
    const rule = ruleOf(rules, key)
    return {
      label: key.toWellFormed(), value: visible(displayText(value, rule, texts)),
      ...editOf(submission, key, rule, texts), ...addFacts?.(value, rule),
    }
  }), labels).map(field => ({ ...field, label: visible(field.label) }))
}

/** Puts fields with a label first, in the order of the labels and under them; the others follow in their own order. */
export function inOrder<T extends { label: string }>(items: readonly T[], labels: Form['labels']): T[] {
  const keys = Object.keys(labels)
  const positionOf = ({ label }: T) => Object.hasOwn(labels, label) ? keys.indexOf(label) : keys.length
  return [...items].sort((a, b) => positionOf(a) - positionOf(b)).map(
    item => Object.hasOwn(labels, item.label) ? { ...item, label: labels[item.label]! } : item,
  )
}

/** Edit state of a field and, if it was edited, its original value; null reads as empty. */
export function editOf(
  { edited, before: originals }: Submission, key: string, rule: FieldRule, texts = english,
): Pick<Field, 'edited' | 'was'> {
  const hasOriginal = edited.includes(key) && originals !== undefined && Object.hasOwn(originals, key)
  return {
    edited: edited.includes(key),
    ...hasOriginal && { was: visible(displayText(originals[key] ?? '', rule, texts)) },
  }
}

const UNKNOWN_FIELD = 'This submission has no such field.'

/** One input per field. Ids are positions, because keys may be empty, long or repeated after cutting. */
export function editInputs(data: SubmissionData, rules: Rules = {}): EditInput[] {
  return Object.entries(data).map(([key, value], position) => {
    const rule = ruleOf(rules, key)
    const input = { id: `f${position}`, label: key.toWellFormed(), value: inputText(value, rule) }
    return rule.type && isOffered(input.value, rule) ? { ...input, rule } : input
  })
}

/** Text of an input: for a checkbox its meaning, since it may be sent as `on` or `yes`; otherwise the value as text. */
function inputText(value: unknown, rule: FieldRule): string {
  const text = fieldText(value)
  return fieldTypeOf(rule).input.kind === 'tick' ? fieldText(parseTyped(text, rule)) : text
}

/** Hashes of values, by input id */
export type Marks = ReadonlyMap<string, string>

/** Hash by which an input's text is recognised */
export function markOf(text: string): string {
  return digest(comparable(text)).slice(0, 8)
}

/** True if an input of this type can show the value; any other value is edited as plain text. */
function isOffered(text: string, rule: FieldRule): boolean {
  if (isFileField(rule)) return false
  const fault = problemOf(parseTyped(text, rule), rule)
  return !fault || fault.problem === 'required'
}

/**
 * Applies the texts that a reviewer typed to the data. Fields that were not offered or not touched keep value and type;
 * a touched number, boolean or JSON keeps its type as long as the new text still is one. A touched field must follow
 * the form's rule.
 *
 * @param typedTexts by input id; inputs that were not offered are absent
 * @param marks hashes of what a platform's form showed, possibly from older data: a text that still matches was not
 * touched. Such a form may send more than its inputs; other callers may not
 * @returns the edit, or an error text per input id
 */
export function applyEdits(
  data: SubmissionData, typedTexts: Readonly<Record<string, string>>, rules: Rules = {}, marks?: Marks,
  texts = english,
): Edit | { errors: Record<string, string> } {
  const ids = new Set(Object.keys(data).map((_, position) => `f${position}`))
  const unknownIds = marks ? [] : Object.keys(typedTexts).filter(id => !ids.has(id))
  const errors = Object.fromEntries(unknownIds.map(id => [id, UNKNOWN_FIELD]))
  const edited: string[] = []
  const entries = Object.entries(data).map(([key, value], position): [string, unknown] => {
    const id = `f${position}`
    const typedText = Object.hasOwn(typedTexts, id) ? typedTexts[id] : undefined
    const rule = ruleOf(rules, key)
    const text = inputText(typedText ?? '', rule)
    const isKept = typedText === undefined || comparable(text) === comparable(inputText(value, rule))
      || markOf(text) === marks?.get(id)
    if (isKept) return [key, value]
    const result = rule.type ? parseByRule(typedText, rule, texts) : reviveLike(value, typedText, texts)
    if ('error' in result) {
      errors[id] = result.error
      return [key, value]
    }
    edited.push(key)
    return [key, result.value]
  })
  // fromEntries defines own properties, so a field named `__proto__` stays data.
  return Object.keys(errors).length > 0 ? { errors } : { data: Object.fromEntries(entries), edited }
}

/** Chat platforms normalise line ends, trim, and drop control characters: that is not an edit. */
function comparable(text: string): string {
  // eslint-disable-next-line no-control-regex
  return text.toWellFormed().replace(/\r\n?/g, '\n').replace(/[\u0000-\u0008\u000B-\u001F\u007F]/g, '').trim()
}

function parseByRule(typedText: string, rule: FieldRule, texts: Texts): { value: unknown } | { error: string } {
  const value = parseTyped(typedText, rule)
  const fault = problemOf(value, rule)
  return fault ? { error: texts(`field.${fault.problem}`, { limit: String(fault.limit) }) } : { value }
}

function reviveLike(original: unknown, typedText: string, texts: Texts): { value: unknown } | { error: string } {
  if (typeof original === 'string' || original === null) return { value: typedText }
  const parsedValue = tryParseJson(typedText)
  if (isNumber(original)) return { value: isNumber(parsedValue) ? parsedValue : typedText }
  if (typeof original !== 'object') return { value: typeof parsedValue === typeof original ? parsedValue : typedText }
  if (typeof parsedValue === 'object' && parsedValue !== null && !isNumber(parsedValue)
    && Array.isArray(parsedValue) === Array.isArray(original)) return { value: parsedValue }
  return {
    error: Array.isArray(original)
      ? texts('card.modal.badList', { example: '["a", "b"]' })
      : texts('card.modal.badObject', { example: '{"a": 1}' }),
  }
}

function tryParseJson(text: string): unknown {
  try {
    return parseJson(text)
  }
  catch {
    return undefined
  }
}

/** The value as text: text as it is, everything else as compact JSON, never `[object Object]`. */
export function fieldText(value: unknown): string {
  return typeof value === 'string' ? value.toWellFormed() : JSON.stringify(value) ?? ''
}

/** The value for people, formatted by its type; numbers keep every digit that was sent. */
export function displayText(value: unknown, rule: FieldRule, texts = english): string {
  const text = fieldText(value)
  return fieldTypeOf(rule).show?.(text, value, texts) ?? text
}

type Data = Readonly<Record<string, unknown>>

/** Placeholder for the value of a field with files: no sent value equals it. */
const FILES = Symbol('files')

/**
 * Converts values to the types of the form: text from a browser becomes a number or a boolean. Fields without a rule
 * stay unchanged, and so do invalid values.
 */
export function converted(data: unknown, { fields }: Pick<Form, 'fields'>): unknown {
  if (!fields || !isObject(data)) return data
  return Object.fromEntries(Object.entries(data).map(([key, value]) => (
    [key, Object.hasOwn(fields, key) ? parseTyped(value, fields[key]!) : value]
  )))
}

/**
 * Converts the data like `converted`, and checks that the form takes it.
 *
 * @param files files that came with the data
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

/** Problems of these values, in the order of the form's fields */
function problemsOf(
  values: Data, { fields = {}, extra, labels }: Pick<Form, 'fields' | 'extra' | 'labels'>,
): FieldProblem[] {
  const describeField = (key: string) => ({ key, label: Object.hasOwn(labels, key) ? labels[key]! : key })
  const fieldProblems = Object.entries(fields).flatMap(([key, rule]): FieldProblem[] => {
    const problem = problemOf(Object.hasOwn(values, key) ? values[key] : undefined, rule)
    return problem ? [{ ...describeField(key), ...problem }] : []
  })
  const unknownKeys = extra === 'refuse' ? Object.keys(values).filter(key => !Object.hasOwn(fields, key)) : []
  return [...fieldProblems, ...unknownKeys.map(key => ({ ...describeField(key), problem: 'unknown' as const }))]
}

/** Problem of one field's value, which `parseTyped` made; undefined if there is none. */
function problemOf(value: unknown, rule: FieldRule): Omit<FieldProblem, 'key' | 'label'> | undefined {
  const isEmpty = value === undefined || value === null || (typeof value === 'string' && value.trim() === '')
  const { problem: typeProblem, input, isMissing, acceptsNumber } = fieldTypeOf(rule)
  if (isEmpty || isMissing?.(value)) {
    return rule.required ? { problem: input.kind === 'files' ? typeProblem : 'required' } : undefined
  }
  if (!rule.type) return undefined
  const numberText = isNumber(value) ? String(JSON.stringify(value)) : undefined
  if (numberText && acceptsNumber?.(numberText) === false) return { problem: typeProblem }
  // A number that JavaScript rounds is still precise enough to compare.
  const { error } = schemaOf(rule).safeParse(numberText === undefined ? value : Number(numberText))
  if (!error) return undefined
  const problem = error.issues[0]!.message as FieldProblem['problem']
  const limits = { tooShort: rule.minLength, tooLong: rule.maxLength, tooLow: rule.min, tooHigh: rule.max } as const
  return { problem, ...problem in limits && { limit: limits[problem as keyof typeof limits] } }
}

/** Converts text to the type of the rule; any other value, and text that does not fit, stays unchanged. */
function parseTyped(value: unknown, rule: FieldRule): unknown {
  if (typeof value !== 'string') return value
  const json = fieldTypeOf(rule).parse?.(value.trim())
  return json === undefined ? value : parseJson(json)
}

const schemas = new WeakMap<FieldRule, z.ZodType>()

/** Schema that checks a value, and that the form's JSON Schema is made from. Its messages are names of problems. */
function schemaOf(rule: FieldRule): z.ZodType {
  const cachedSchema = schemas.get(rule)
  if (cachedSchema) return cachedSchema
  const schema = createSchema(rule)
  schemas.set(rule, schema)
  return schema
}

const SCHEMA_MAKERS: SchemaMakers = {
  url: z.url, regex: z.regex, number: z.number, boolean: z.boolean, enum: z.enum, symbol: z.symbol,
  isoDate: z.iso.date,
}

function createSchema(rule: FieldRule): z.ZodType {
  const { minLength, maxLength } = rule
  const limitLength = (text: z.ZodString) => {
    const withMinimum = minLength === undefined ? text : text.min(minLength, 'tooShort')
    return maxLength === undefined ? withMinimum : withMinimum.max(maxLength, 'tooLong')
  }
  return fieldTypeOf(rule).schema({
    z: SCHEMA_MAKERS,
    // A browser counts a line break as one character, but sends two.
    text: limitLength(z.string('text').overwrite(value => value.replaceAll(/\r\n?/g, '\n'))),
    line: limitLength(z.string('text').trim()),
    isAddress: text => sentTo(text) !== undefined,
  }, rule)
}

/** JSON Schema of a form (draft 2020-12); files, which are no JSON, are described in the OpenAPI way. */
export function jsonSchemaOf({ fields = {}, extra, labels, name, files }: Form): object {
  const shape = Object.fromEntries(Object.entries(fields).map(([key, rule]) => {
    const takesFiles = isFileField(rule)
    const schema = (rule.type && !takesFiles ? schemaOf(rule) : z.unknown()).meta({
      title: labels[key] ?? key, ...takesFiles && files && schemaOfFiles(files),
    })
    return [key, rule.required ? schema : schema.optional()]
  }))
  const objectSchema = extra === 'refuse' ? z.strictObject(shape) : z.looseObject(shape)
  return z.toJSONSchema(objectSchema.meta({ title: name }), { io: 'input' })
}

/** JSON Schema of a field that takes files */
export function schemaOfFiles({ max, maxBytes, types }: FileRule): object {
  const [type] = types
  const hasOneType = types.length === 1 && !type!.endsWith('/*')
  return {
    type: 'array', minItems: 1, maxItems: max,
    items: { type: 'string', format: 'binary', ...hasOneType && { contentMediaType: type }, maxLength: maxBytes },
    description: `Files, sent as multipart/form-data. By their content they are any of these: ${types.join(', ')}.`,
  }
}

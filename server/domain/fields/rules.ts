import { z } from 'zod'
import { fieldTypeOf, isFileField } from '../../../shared/field-types/field-types'
import type { SchemaMakers } from '../../../shared/field-types/row'
import type { FieldRule, FieldProblem } from '../../ports/field-rules'
import type { FileRule, StoredFile } from '../../ports/files'
import type { Form } from '../../ports/form'
import type { SubmissionData } from '../../ports/submission'
import { InvalidFields } from '../errors'
import { isNumber, isObject, orderedObject, parseJson } from '../json'
import { sentTo } from './addresses'
import type { Answer, AnswerNames } from './answers'
import { withChanges, type Path } from './paths'
import { answersNamed, readingOf, settingOf } from './reading'

export type Rules = NonNullable<Form['fields']>

/** Returns the rule for an answer. If the form has none, it is a checkbox for Yes or No, and else an empty rule. */
export function ruleFor(answer: AnswerNames, rules: Rules = {}): FieldRule {
  return settingOf(answer, rules) ?? (answer.isYesNo ? { type: 'checkbox' } : {})
}

export type FormRules = Pick<Form, 'fields' | 'extra' | 'labels' | 'technical'>

/** Placeholder for the value of a field with files; never equal to a sent value */
const FILES = Symbol('files')

/**
 * Converts values to the types of the form: text from a browser becomes a number or a boolean. Fields without a rule
 * stay unchanged, and so do invalid values.
 */
export function converted(data: unknown, { fields }: Partial<FormRules>): unknown {
  if (!fields || !isObject(data)) return data
  const flatData = orderedObject(Object.entries(data).map(([key, value]) => (
    [key, Object.hasOwn(fields, key) ? parseTyped(value, fields[key]!) : value]
  )))
  const innerNames = Object.keys(fields).filter(name => !Object.hasOwn(data, name))
  const innerAnswers = innerNames.length > 0 ? answersNamed(innerNames, flatData) : []
  return withChanges(flatData, innerAnswers.flatMap((answer, index) => {
    const rule = fields[innerNames[index]!]!
    const value = parseTyped(answer?.value, rule)
    return !answer || value === answer.value ? [] : [{ path: pathFor(answer, rule), value }]
  }))
}

/**
 * Converts the data like `converted`, and checks it against the form's rules.
 *
 * @param files files that came with the data
 * @throws InvalidFields
 */
export function typed(
  data: unknown, form: FormRules, files: readonly Pick<StoredFile, 'field'>[] = [],
): unknown {
  const values = converted(data, form)
  if (!form.fields || !isObject(values)) return values
  const problems = problemsOf(values, form, new Set(files.map(({ field }) => field)))
  if (problems.length > 0) throw new InvalidFields(problems)
  return values
}

/** Problems of these values, in the order of the form's fields */
function problemsOf(values: SubmissionData, form: FormRules, fileFields: ReadonlySet<string>): FieldProblem[] {
  const { fields = {}, extra, labels } = form
  const describeField = (key: string) => ({ key, label: Object.hasOwn(labels, key) ? labels[key]! : key })
  const names = Object.keys(fields)
  const answers = answersNamed(names, values)
  const fieldProblems = names.flatMap((key, index): FieldProblem[] => {
    const value = Object.hasOwn(values, key) ? values[key] : answers[index]?.value
    const problem = problemOf(fileFields.has(key) ? FILES : parseTyped(value, fields[key]!), fields[key]!)
    return problem ? [{ ...describeField(key), ...problem }] : []
  })
  const unknownKeys = extra === 'refuse'
    ? [
        ...readingOf(values, form).answers.filter(answer => !settingOf(answer, fields)).map(({ key }) => key),
        ...[...fileFields].filter(key => !Object.hasOwn(fields, key)),
      ]
    : []
  return [...fieldProblems, ...unknownKeys.map(key => ({ ...describeField(key), problem: 'unknown' as const }))]
}

/** Returns the problem of a value from `parseTyped`; undefined if there is none. */
export function problemOf(value: unknown, rule: FieldRule): Omit<FieldProblem, 'key' | 'label'> | undefined {
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

/** Converts text to the type of the rule. Text that does not fit, and any other value, stays unchanged. */
export function parseTyped(value: unknown, rule: FieldRule): unknown {
  const { parse, input } = fieldTypeOf(rule)
  const isTexts = Array.isArray(value) && value.every(each => typeof each === 'string')
  const text = isTexts && input.kind === 'choices' ? value.join('\n') : value
  if (typeof text !== 'string') return value
  const json = parse?.(text.trim())
  return json === undefined ? value : parseJson(json)
}

/** Returns the path to replace on an edit. A list of one is read as its item, but choices replace the whole list. */
export function pathFor({ path }: Pick<Answer, 'path'>, rule: FieldRule): Path {
  return fieldTypeOf(rule).input.kind === 'choices' && path.at(-1) === 0 ? path.slice(0, -1) : path
}

const schemas = new WeakMap<FieldRule, z.ZodType>()

/** Returns the schema that checks a value. The form's JSON Schema comes from it, too. Messages are problem names. */
function schemaOf(rule: FieldRule): z.ZodType {
  const cachedSchema = schemas.get(rule)
  if (cachedSchema) return cachedSchema
  const schema = createSchema(rule)
  schemas.set(rule, schema)
  return schema
}

const SCHEMA_MAKERS: SchemaMakers = {
  url: z.url, regex: z.regex, number: z.number, boolean: z.boolean, enum: z.enum, array: z.array,
  unknown: z.unknown, symbol: z.symbol, isoDate: z.iso.date,
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

/**
 * Returns the JSON Schema of a form (draft 2020-12). Files are not JSON, so they are described as in OpenAPI. A field
 * named by a path may be nested in other fields; the schema does not describe those.
 */
export function jsonSchemaOf({ fields = {}, extra, labels, name, files }: Form): object {
  const shape = Object.fromEntries(Object.entries(fields).map(([key, rule]) => {
    const takesFiles = isFileField(rule)
    const schema = (rule.type && !takesFiles ? schemaOf(rule) : z.unknown()).meta({
      title: labels[key] ?? key, ...takesFiles && files && schemaOfFiles(files),
    })
    return [key, rule.required && !isPath(key) ? schema : schema.optional()]
  }))
  const isClosed = extra === 'refuse' && !Object.keys(fields).some(isPath)
  const objectSchema = isClosed ? z.strictObject(shape) : z.looseObject(shape)
  return z.toJSONSchema(objectSchema.meta({ title: name }), { io: 'input' })
}

/** True for a path to a nested field. */
function isPath(name: string): boolean {
  return name.includes('.')
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

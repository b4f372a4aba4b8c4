import { z } from 'zod'
import type { FieldProblem, FieldRule } from '../../ports/field-rules'
import type { FileRule, StoredFile } from '../../ports/files'
import type { Form } from '../../ports/form'
import { InvalidFields } from '../errors'
import { isNumber, isObject, parseJson } from '../json'
import { sentTo } from './addresses'

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
    [key, Object.hasOwn(fields, key) ? valueOf(value, fields[key]!) : value]
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
export function problemOf(value: unknown, rule: FieldRule): Omit<FieldProblem, 'key' | 'label'> | undefined {
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
export function valueOf(value: unknown, { type }: FieldRule): unknown {
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

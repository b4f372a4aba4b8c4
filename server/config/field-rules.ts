import { z } from 'zod'
import { FIELD_TYPES, type FieldRule, type FieldType } from '../ports/field-rules'
import { inPlainWords } from './issues'

const LONGEST_LABEL = 150

const NO_LIMIT = 'is neither a number nor a date such as 2026-11-22'

/** Slack shows no more in one list: https://docs.slack.dev/reference/block-kit/block-elements/select-menu-element */
const MOST_OPTIONS = 100
const LONGEST_OPTION = 75

/** Settings that only some types have. */
const NUMERIC: readonly FieldType[] = ['number', 'integer']
const TEXTS: readonly FieldType[] = ['text', 'textarea', 'email', 'url', 'tel']

// A browser sends another line break than the one that stands there.
const option = z.string().trim().min(1, 'is empty').max(LONGEST_OPTION, `has more than ${LONGEST_OPTION} characters`)
  .regex(/^[^\r\n]*$/, 'has a line break')
const label = z.string().min(1, 'is empty').max(LONGEST_LABEL, `has more than ${LONGEST_LABEL} characters`)
const limit = z.union([z.number(), z.iso.date(NO_LIMIT)], NO_LIMIT)
const length = z.int('is no whole number').min(0, 'is less than 0')

const rule = z.strictObject({
  label: label.optional(),
  type: z.enum(FIELD_TYPES, `is none of ${FIELD_TYPES.join(', ')}`).default('text'),
  required: z.boolean('is neither true nor false').optional(),
  min: limit.optional(),
  max: limit.optional(),
  minLength: length.optional(),
  maxLength: length.optional(),
  options: z.array(option).min(1, 'lists nothing').max(MOST_OPTIONS, `has more than ${MOST_OPTIONS} items`).optional(),
}).check(({ value, issues }) => {
  const { type, min, max, minLength = 0, maxLength = Infinity, options } = value
  const wrong = (name: keyof typeof value, message: string) => issues.push({
    code: 'custom', input: value[name], path: [name], message,
  })
  for (const name of ['min', 'max'] as const) {
    const expected = NUMERIC.includes(type) ? 'number' : type === 'date' ? 'string' : 'undefined'
    const isFine = value[name] === undefined || typeof value[name] === expected
    if (!isFine) wrong(name, `does not fit the type ${type}`)
  }
  for (const name of ['minLength', 'maxLength'] as const) {
    if (value[name] !== undefined && !TEXTS.includes(type)) wrong(name, `does not fit the type ${type}`)
  }
  if (min !== undefined && max !== undefined && min > max) wrong('max', 'is less than min')
  if (minLength > maxLength) wrong('maxLength', 'is less than minLength')
  if ((type === 'select') !== (options !== undefined)) wrong('options', 'belongs to the type select, which needs it')
  if (new Set(options).size !== (options ?? []).length) wrong('options', 'has the same item twice')
})

/** A field is described by its label, or by what it takes. */
export const fieldRule = z.unknown().transform((written, context): FieldRule => {
  const schema = typeof written === 'string' ? label.transform((text): FieldRule => ({ label: text })) : rule
  const parsed = (schema as z.ZodType<FieldRule>).safeParse(written, inPlainWords)
  if (parsed.success) return parsed.data
  context.issues.push(...parsed.error.issues.map(issue => ({ ...issue, input: written })) as never[])
  return z.NEVER
})

/** Whether any of these is for files. */
export function takesFiles(fields: Readonly<Record<string, FieldRule>> = {}): boolean {
  return Object.values(fields).some(({ type }) => type === 'file')
}

/** As it is written. */
export type WrittenField = string | FieldRule

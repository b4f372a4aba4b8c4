import type { z } from 'zod'
import { groupDigits, isWhole, numberJson } from './numbers'
import type { Texts } from '../texts'
import type { FieldLimits, FieldTypeRow, SchemaTools } from './row'

/**
 * Digits with the usual separators (E.164 has 15 digits), and an extension; browsers check nothing. Letters are in
 * both cases, because a JSON Schema has no flags.
 */
const PHONE = /^[+(]{0,2}\d[\d\p{Zs}(),./\p{Pd}]{2,40}(?:(?:[xX#]|[eE][xX][tT]\.?)\p{Zs}?\d{1,8})?$/u

/** Values of a ticked checkbox: those that browsers send, and those that people or programs write instead. */
const TICKED = ['on', 'true', '1', 'yes']
const UNTICKED = ['off', 'false', '0', 'no']

/** Max length of a text that is read as choices, in characters; a field's options together are shorter. */
const MAX_CHOICES_LENGTH = 10_000

const wordsIn = (texts?: Texts) => ({
  true: texts?.('card.field.yes') ?? 'Yes', false: texts?.('card.field.no') ?? 'No',
})

/** Types of fields, in the order in which errors list them. A new type is a row here, and texts for its problem. */
const rows = {
  text: {
    limits: 'length', problem: 'text', schema: ({ text }) => text,
    input: { kind: 'line' }, formPage: { type: 'text' },
  },
  textarea: {
    limits: 'length', problem: 'text', schema: ({ text }) => text,
    input: { kind: 'lines' }, formPage: { rows: 6 },
    example: () => 'Please quote 2 analytical engines.\nDelivery to London.',
  },
  email: {
    limits: 'length', problem: 'email',
    schema: ({ line, isAddress }) => line.refine(isAddress, 'email').meta({ format: 'email' }),
    input: { kind: 'line', text: 'email' }, formPage: { type: 'email', autocomplete: 'email' },
    editPage: { inputmode: 'email' }, example: () => 'ada@example.com',
  },
  url: {
    limits: 'length', problem: 'url',
    schema: ({ z, text }) => text.check(z.url({ protocol: /^https?$/, error: 'url' })),
    input: { kind: 'line', text: 'url' }, formPage: { type: 'url', autocomplete: 'url' },
    editPage: { inputmode: 'url' }, example: () => 'https://example.com',
  },
  tel: {
    limits: 'length', problem: 'tel', schema: ({ z, line }) => line.check(z.regex(PHONE, 'tel')),
    input: { kind: 'line', text: 'tel' }, formPage: { type: 'tel', autocomplete: 'tel' },
    editPage: { inputmode: 'tel' }, example: () => '+44 20 7946 0123',
  },
  number: {
    limits: 'numbers', problem: 'number', parse: numberJson,
    schema: ({ z }, limits) => limitNumber(z.number('number'), limits), show: showNumber,
    input: { kind: 'number', decimal: true }, formPage: { type: 'number', step: 'any' },
    editPage: { inputmode: 'decimal' }, example: exampleNumber,
  },
  integer: {
    limits: 'numbers', problem: 'integer', parse: numberJson, acceptsNumber: isWhole,
    // Not z.int: it accepts only safe integers.
    schema: ({ z }, limits) => limitNumber(z.number('integer').meta({ type: 'integer' }), limits), show: showNumber,
    input: { kind: 'number', decimal: false }, formPage: { type: 'number' },
    editPage: { inputmode: 'decimal' }, example: exampleNumber,
  },
  checkbox: {
    problem: 'checkbox', parse: parseTick, isMissing: value => value === false,
    schema: ({ z }) => z.boolean('checkbox'),
    show: (text, value, texts) => typeof value === 'boolean' ? wordsIn(texts)[`${value}`] : text,
    input: { kind: 'tick', words: wordsIn }, formPage: { type: 'checkbox', value: 'true' }, example: () => true,
  },
  date: {
    limits: 'dates', problem: 'date',
    schema: ({ z }, { min, max }) => z.isoDate('date').refine(
      value => min === undefined || value >= min, 'tooLow',
    ).refine(value => max === undefined || value <= max, 'tooHigh'),
    show: formatDate, input: { kind: 'day' }, formPage: { type: 'date' },
    editPage: { type: 'date', shows: /^(?:\d{4}-\d{2}-\d{2})?$/ },
    example: ({ min, max }) => min ?? max ?? '2026-11-22',
  },
  select: {
    limits: 'options', problem: 'select', schema: oneOption, input: { kind: 'choice' }, formPage: {},
    example: ({ options }) => options?.[0],
  },
  radio: {
    limits: 'options', problem: 'select', schema: oneOption, input: { kind: 'choice', radios: true },
    formPage: { type: 'radio' }, example: ({ options }) => options?.[0],
  },
  checkboxes: {
    limits: 'choices', problem: 'checkboxes', parse: parseChoices,
    isMissing: value => Array.isArray(value) && value.length === 0,
    // Not z.array(z.enum(…)): it creates an error for each wrong item, which takes half a second for 40,000 items.
    schema: ({ z }, { options = [], min, max }) => {
      const list = z.array(z.unknown(), 'checkboxes').refine(
        items => items.length <= options.length
          && items.every(item => (options as readonly unknown[]).includes(item)), 'checkboxes',
      ).meta({ items: { type: 'string', enum: options }, uniqueItems: true })
      const withMinimum = min === undefined ? list : list.min(Number(min), 'tooLow')
      return max === undefined ? withMinimum : withMinimum.max(Number(max), 'tooHigh')
    },
    input: { kind: 'choices' }, formPage: { type: 'checkbox' },
    example: ({ options, min, max }) => options?.slice(0, Number(max ?? min ?? 2)),
  },
  file: {
    problem: 'file', schema: ({ z }) => z.symbol('file'),
    input: { kind: 'files' }, formPage: { type: 'file' }, example: () => 'sample',
  },
} as const satisfies Readonly<Record<string, FieldTypeRow>>

export type FieldType = keyof typeof rows

/** Kinds of invalid values, each with an error text. */
export type TypeProblem = typeof rows[FieldType]['problem']

export const FIELD_TYPES: Readonly<Record<FieldType, FieldTypeRow & { problem: TypeProblem }>> = rows

/** Names of the field types, as used in settings */
export const FIELD_TYPE_NAMES = Object.keys(rows) as FieldType[]

/** Returns the field type's row. A field without a type is treated as text. */
export function fieldTypeOf({ type = 'text' }: { type?: FieldType }): typeof FIELD_TYPES[FieldType] {
  return FIELD_TYPES[type]
}

/** True for a field whose value is files, not data. */
export function isFileField(rule: { type?: FieldType }): boolean {
  return fieldTypeOf(rule).input.kind === 'files'
}

function oneOption({ z }: SchemaTools, { options = [] }: FieldLimits): z.ZodType {
  return z.enum(options as [string], 'select')
}

function limitNumber(number: z.ZodNumber, { min, max }: FieldLimits): z.ZodNumber {
  const withMinimum = min === undefined ? number : number.min(Number(min), 'tooLow')
  return max === undefined ? withMinimum : withMinimum.max(Number(max), 'tooHigh')
}

function exampleNumber({ min, max }: FieldLimits): unknown {
  return min ?? Math.min(2, Number(max ?? 2))
}

function parseTick(text: string): string | undefined {
  const word = text.toLowerCase()
  return TICKED.includes(word) ? 'true' : UNTICKED.includes(word) ? 'false' : undefined
}

/** Parses choices: browsers send a single choice as text, platforms send one choice per line. Options have one line. */
function parseChoices(text: string): string | undefined {
  if (text.length > MAX_CHOICES_LENGTH) return undefined
  return JSON.stringify([...new Set(text.split('\n').map(line => line.trim()).filter(Boolean))])
}

function showNumber(text: string, _: unknown, texts?: Texts): string {
  return groupDigits(text, texts?.language)
}

/** Returns `22 November 2026`: day, month, year, as on cards. */
function formatDate(text: string, _: unknown, texts?: Texts): string {
  const { language = 'en' } = texts ?? {}
  const date = new Date(/^\d{4}-\d{2}-\d{2}$/.test(text) ? text : NaN)
  const isDate = !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
  const locale = language === 'en' ? 'en-GB' : language
  return isDate ? date.toLocaleDateString(locale, { dateStyle: 'long', timeZone: 'UTC' }) : text
}

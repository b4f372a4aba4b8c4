import { z } from 'zod'
import { FIELD_TYPES, FIELD_TYPE_NAMES, isFileField } from '../../shared/field-types/field-types'
import type { FieldRule } from '../ports/field-rules'
import type { FileInput, FileRule } from '../ports/files'
import { inPlainWords } from './issues'

const LONGEST_LABEL = 150

const NO_LIMIT = 'must be a number, or a date such as 2026-11-22'

/** Max options and length in Slack: https://docs.slack.dev/reference/block-kit/block-elements/select-menu-element */
const MOST_OPTIONS = 100
const LONGEST_OPTION = 75

/** JavaScript types of `min` and `max`, by the kind of limits that a field type has */
const RANGE_TYPES = {
  numbers: 'number', dates: 'string', choices: 'number', length: 'undefined', options: 'undefined',
} as const

const TYPES_WITH_OPTIONS = FIELD_TYPE_NAMES.filter(
  name => ['options', 'choices'].includes(FIELD_TYPES[name].limits ?? ''),
)

// No line breaks: browsers would send a line break in another form than the option's.
const option = z.string().trim().min(1, 'must not be empty')
  .max(LONGEST_OPTION, `must have at most ${LONGEST_OPTION} characters`)
  .regex(/^[^\r\n]*$/, 'must not have a line break')
const label = z.string().min(1, 'must not be empty').max(LONGEST_LABEL, `must have at most ${LONGEST_LABEL} characters`)
const limit = z.union([z.number(), z.iso.date(NO_LIMIT)], NO_LIMIT)
const length = z.int('must be a whole number').min(0, 'must be at least 0')

const rule = z.strictObject({
  label: label.optional(),
  type: z.enum(FIELD_TYPE_NAMES, `must be one of ${FIELD_TYPE_NAMES.join(', ')}`).default('text'),
  required: z.boolean('must be true or false').optional(),
  min: limit.optional(),
  max: limit.optional(),
  minLength: length.optional(),
  maxLength: length.optional(),
  options: z.array(option).min(1, 'must not be empty').max(MOST_OPTIONS, `must have at most ${MOST_OPTIONS} items`)
    .optional(),
}).check(({ value, issues }) => {
  const { type, min, max, minLength = 0, maxLength = Infinity, options } = value
  const reportIssue = (name: keyof typeof value, message: string) => issues.push({
    code: 'custom', input: value[name], path: [name], message,
  })
  const { limits } = FIELD_TYPES[type]
  for (const name of ['min', 'max'] as const) {
    const hasRightType = value[name] === undefined || (limits && typeof value[name] === RANGE_TYPES[limits])
    if (!hasRightType) reportIssue(name, `does not apply to the type ${type}`)
  }
  for (const name of ['minLength', 'maxLength'] as const) {
    if (value[name] !== undefined && limits !== 'length') reportIssue(name, `does not apply to the type ${type}`)
  }
  if (min !== undefined && max !== undefined && min > max) reportIssue('max', 'must be at least min')
  if (limits === 'choices' && Number(min) > (options ?? []).length) {
    reportIssue('min', 'must be at most the number of options')
  }
  if (minLength > maxLength) reportIssue('maxLength', 'must be at least minLength')
  if (TYPES_WITH_OPTIONS.includes(type) !== (options !== undefined)) {
    reportIssue('options', `belongs to the types ${TYPES_WITH_OPTIONS.join(', ')}, which need it`)
  }
  if (new Set(options).size !== (options ?? []).length) reportIssue('options', 'must not have the same item twice')
})

/** A field is described by its label, or by a rule. */
export const fieldRule = z.unknown().transform((setting, context): FieldRule => {
  const schema = typeof setting === 'string' ? label.transform((text): FieldRule => ({ label: text })) : rule
  const result = (schema as z.ZodType<FieldRule>).safeParse(setting, inPlainWords)
  if (result.success) return result.data
  context.issues.push(...result.error.issues.map(issue => ({ ...issue, input: setting })) as never[])
  return z.NEVER
})

/** True if any of these takes files. */
export function takesFiles(fields: Readonly<Record<string, FieldRule>> = {}): boolean {
  return Object.values(fields).some(isFileField)
}

/** A field as the configuration has it */
export type WrittenField = string | FieldRule

const UNITS = { KB: 2 ** 10, MB: 2 ** 20, GB: 2 ** 30 }

/** Bytes, from a text such as `10 MB` */
const size = z.string('must be a size such as 10 MB').regex(
  /^\d{1,6}(?:\.\d{1,3})? ?(?:KB|MB|GB)$/, 'must be a size such as 10 MB',
).transform(text => Math.floor(Number.parseFloat(text) * UNITS[text.slice(-2) as keyof typeof UNITS])).refine(
  bytes => bytes > 0 && bytes <= UNITS.GB, 'must be between 1 KB and 1 GB',
)

/** Types that people often write, with the types that `file-type` finds in the content of such files. */
export const FOUND_AS: Readonly<Record<string, string>> = {
  'application/csv': 'text/csv', 'application/javascript': 'text/plain', 'application/json': 'text/plain',
  'application/msword': 'application/x-cfb', 'application/vnd.ms-excel': 'application/x-cfb',
  'application/vnd.ms-powerpoint': 'application/x-cfb', 'application/vnd.rar': 'application/x-rar-compressed',
  'application/x-gzip': 'application/gzip', 'application/x-pdf': 'application/pdf', 'application/x-yaml': 'text/plain',
  'application/x-zip-compressed': 'application/zip', 'application/yaml': 'text/plain', 'audio/mp3': 'audio/mpeg',
  'audio/x-wav': 'audio/wav', 'image/jpg': 'image/jpeg', 'image/svg+xml': 'application/xml',
  'image/vnd.microsoft.icon': 'image/x-icon', 'text/rtf': 'application/rtf', 'text/xml': 'application/xml',
  'video/avi': 'video/vnd.avi', 'video/x-matroska': 'video/matroska', 'video/x-msvideo': 'video/vnd.avi',
}

/** Text types that are recognised by content or by name; all other texts are plain text. */
const TYPES_OF_TEXT = ['text/plain', 'text/csv', 'text/calendar', 'text/vcard', 'text/vtt', 'text/*']

/** Returns the type to write instead of one that is never found in a file's content. */
function suggestType(type: string): string | undefined {
  return FOUND_AS[type] ?? (type.startsWith('text/') && !TYPES_OF_TEXT.includes(type) ? 'text/plain' : undefined)
}

/** Returns the file input for a browser. Browsers identify files by the types that people often write. */
export function inputOf({ max, types }: FileRule): FileInput {
  const acceptedTypes = types.flatMap(type => [type, ...Object.keys(FOUND_AS).filter(name => FOUND_AS[name] === type)])
  return { multiple: max > 1, accept: acceptedTypes.join(',') }
}

/** Files that a form takes; each setting may be left out. */
export const fileRule = z.strictObject({
  /** Max files of one submission. */
  max: z.int('must be a whole number').min(1, 'must be at least 1').max(20, 'must be at most 20').default(5),
  /** Size limit of one file. */
  maxBytes: size.default(10 * UNITS.MB),
  /** Accepted types, by content. */
  types: z.array(z.string().regex(
    /^[a-z]+\/(?:\*|[\w.+-]+)$/, 'must be a media type such as application/pdf or image/*',
  ).refine(
    type => !suggestType(type),
    { error: ({ input }) => `is ${input}, but no file is detected as this type: write ${suggestType(String(input))}` },
  )).min(1, 'must not be empty').default(['image/*', 'application/pdf']),
  /** True if cards show small pictures before the decision; chat platforms keep copies of them. */
  show: z.boolean('must be true or false').optional(),
})

import { z } from 'zod'
import type { FileInput, FileRule } from '../ports/files'

const UNITS = { KB: 2 ** 10, MB: 2 ** 20, GB: 2 ** 30 }

/** Bytes, from `10 MB`. */
const size = z.string('is no size such as 10 MB').regex(
  /^\d{1,6}(?:\.\d{1,3})? ?(?:KB|MB|GB)$/, 'is no size such as 10 MB',
).transform(text => Math.floor(Number.parseFloat(text) * UNITS[text.slice(-2) as keyof typeof UNITS])).refine(
  bytes => bytes > 0 && bytes <= UNITS.GB, 'is not between 1 KB and 1 GB',
)

/** What is often written, and what such files are by their content; `file-type` knows no more of them. */
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

/** Texts that are told from others, or taken for what they are called; all others are plain text. */
const TEXTS = ['text/plain', 'text/csv', 'text/calendar', 'text/vcard', 'text/vtt', 'text/*']

/** What to write in place of a type that no file is by its content. */
function insteadOf(type: string): string | undefined {
  return FOUND_AS[type] ?? (type.startsWith('text/') && !TEXTS.includes(type) ? 'text/plain' : undefined)
}

/** What people may pick in a browser, which knows files by what is often written. */
export function inputOf({ max, types }: FileRule): FileInput {
  const known = types.flatMap(type => [type, ...Object.keys(FOUND_AS).filter(name => FOUND_AS[name] === type)])
  return { multiple: max > 1, accept: known.join(',') }
}

/** Files that a form takes; each setting may be left out. */
export const fileRule = z.strictObject({
  /** Most files of one submission. */
  max: z.int('is no whole number').min(1, 'is less than 1').max(20, 'is more than 20').default(5),
  /** Largest file. */
  maxBytes: size.default(10 * UNITS.MB),
  /** What they may be by their content. */
  types: z.array(z.string().regex(
    /^[a-z]+\/(?:\*|[\w.+-]+)$/, 'is no media type such as application/pdf or image/*',
  ).refine(
    type => !insteadOf(type),
    { error: ({ input }) => `is ${input}, which no file is by its content: write ${insteadOf(String(input))}` },
  )).min(1, 'lists nothing').default(['image/*', 'application/pdf']),
  /** Whether cards show small pictures while they wait; chat platforms keep copies of what they show. */
  show: z.boolean('is neither true nor false').optional(),
})

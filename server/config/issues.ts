import type { z } from 'zod'
import { isObject } from '../domain/json'

const KINDS: Readonly<Record<string, string>> = {
  array: 'a list', boolean: 'true or false', number: 'a number', object: 'an object', record: 'an object',
  string: 'a text',
}

/** Zod's messages in plain words, for people who write a configuration */
export const inPlainWords: { error: z.core.$ZodErrorMap } = { error: (issue) => {
  if (issue.code === 'invalid_type') {
    const kind = KINDS[issue.expected] ?? issue.expected
    return issue.input === undefined ? `is missing. It must be ${kind}` : `must be ${kind}`
  }
  if (issue.code !== 'unrecognized_keys') return undefined
  const { shape = {} } = (issue.inst as z.ZodObject | undefined)?.def ?? {}
  return `has ${issue.keys.join(', ')}, which nothing reads. There are ${Object.keys(shape).join(', ')}`
} }

/**
 * Returns the valid part of a value; undefined if there is none. Reports each mistake and removes that part, then
 * checks again, because some checks run only on valid input.
 *
 * @param report receives each mistake with its path
 */
export function parseSetting<T>(
  schema: z.ZodType<T>, value: unknown, report: (problem: string) => void,
): T | undefined {
  const reportedPaths = new Set<string>()
  const remainder = structuredClone(value)
  for (;;) {
    const result = schema.safeParse(remainder, inPlainWords)
    if (result.success) return result.data
    const earlierPaths = new Set(reportedPaths)
    for (const issue of result.error.issues) {
      const path = outsideLists(remainder, issue.path.map(String))
      if (!earlierPaths.has(path.join('\0'))) {
        report(`${issue.path.map(part => `.${String(part)}`).join('')} ${messageOf(issue)}`)
      }
      const isOutsideLists = path.length === issue.path.length
      const unknownKeys = issue.code === 'unrecognized_keys' && isOutsideLists ? issue.keys : []
      for (const key of unknownKeys) removePart(remainder, [...path, key])
      if (unknownKeys.length > 0) continue
      // The parent of a removed part is now invalid: remove it, too.
      while (path.length > 0 && earlierPaths.has(path.join('\0'))) path.pop()
      if (path.length === 0) return undefined
      reportedPaths.add(path.join('\0'))
      removePart(remainder, path)
    }
  }
}

/** Path up to its first list: removing a list item would change the positions of the others. */
function outsideLists(value: unknown, path: readonly string[]): string[] {
  const end = path.findIndex((_, index) => Array.isArray(partAt(value, path.slice(0, index))))
  return path.slice(0, end === -1 ? undefined : end)
}

function removePart(value: unknown, path: readonly string[]): void {
  const parent = partAt(value, path.slice(0, -1))
  if (isObject(parent)) Reflect.deleteProperty(parent, path.at(-1)!)
}

function partAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce((inner, part) => (inner as Record<string, unknown> | null | undefined)?.[part], value)
}

/** Text of a mistake; zod nests the message about a key one level deeper. */
function messageOf(issue: z.core.$ZodIssue): string {
  return issue.code === 'invalid_key' ? messageOf(issue.issues[0]!) : issue.message
}

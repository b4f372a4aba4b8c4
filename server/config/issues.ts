import type { z } from 'zod'

const KINDS: Readonly<Record<string, string>> = {
  array: 'a list', boolean: 'true or false', number: 'a number', object: 'an object', record: 'an object',
  string: 'a text',
}

/** What zod says in words of its own, for those who write a configuration. */
export const inPlainWords: { error: z.core.$ZodErrorMap } = { error: (issue) => {
  if (issue.code === 'invalid_type') {
    const kind = KINDS[issue.expected] ?? issue.expected
    return issue.input === undefined ? `is missing: ${kind}` : `is not ${kind}`
  }
  if (issue.code !== 'unrecognized_keys') return undefined
  const { shape = {} } = (issue.inst as z.ZodObject | undefined)?.def ?? {}
  return `has ${issue.keys.join(', ')}, which nothing reads. There are ${Object.keys(shape).join(', ')}`
} }

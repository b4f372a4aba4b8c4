import type { z } from 'zod'
import { InvalidRequest } from './errors'

/** What HTTP brought, as the schema has it. @throws InvalidRequest, with what to change */
export function parsed<T>(schema: z.ZodType<T>, input: unknown): T {
  const { success, data, error } = schema.safeParse(input)
  if (success) return data
  const lines = error.issues.map(({ path, message }) => [...path, message].join(': '))
  throw new InvalidRequest(`${[...new Set(lines)].join('; ')}.`)
}

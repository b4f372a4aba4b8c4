import { z } from 'zod'

/** One environment variable. */
export interface Variable {
  /** Accepts the text of the variable. */
  schema: z.ZodType
  /** The vendor's own name for it. */
  alias?: string
  /** What it is for. */
  about: string
  /** Where to get it. */
  where?: string
}

/** What a table of variables reads as; undefined where a variable is not set. */
export type Values<Table extends Record<string, Variable>> = { [Name in keyof Table]: z.infer<Table[Name]['schema']> | undefined }

/** Reports what is missing. `when` begins with a comma or is empty. */
export type Require = (names: readonly string[], when: string) => void

export const text = z.string()
export const url = (protocols: RegExp, hint: string) => z.url({ protocol: protocols, error: hint })
export const web = url(/^https?$/, 'it is not an http(s) URL')
export const count = z.coerce.number('it is not a number').int('it is not a whole number').positive('it is not greater than 0')
export const countOrNone = z.coerce.number('it is not a number').int('it is not a whole number').nonnegative('it is less than 0')
export const flag = z.enum(['1', '0', 'true', 'false'], 'it is neither 1 nor 0').transform(value => value === '1' || value === 'true')
/** Items separated by commas. */
export const list = text.transform(items => items.split(',').map(item => item.trim()).filter(Boolean))

import { z } from 'zod'

/** One environment variable. */
export interface Variable {
  /** Accepts the text of the variable. */
  schema: z.ZodType
  /** Format in which its vendor writes such values today. Others only cause a warning, as the vendor may change it. */
  usual?: z.ZodType
  /** The vendor's own name for the variable. */
  alias?: string
  /** Purpose of the variable. */
  about: string
  /** Place to get its value. */
  where?: string
  /** Default value or, if there is none, an example, for `.env.example`. */
  example?: string
}

/** Values read from a table of variables; undefined if a variable is not set. */
export type Values<Table extends Record<string, Variable>> = {
  [Name in keyof Table]: z.infer<Table[Name]['schema']> | undefined
}

/** Reports missing variables. `when` begins with a comma or is empty. */
export type Require = (names: readonly string[], when: string) => void

export const text = z.string()
/** Rejects quotes, because `docker run --env-file` keeps them as a part of the value. */
export const unquoted = text.regex(
  /^(?!(["'`]).*\1$|[“”„].*[“”]$|[‘’‚].*[‘’]$)/s,
  'must not be in quotes: write it without them',
)
/** Rejects a list or a wildcard as host, which URL parsers accept. */
const hostname = /^[^*,]*$/
export const url = (protocols: RegExp, hint: string) => z.url({ protocol: protocols, hostname, error: hint })
export const web = url(/^https?$/, 'must be an http(s) URL')
/** A URL to which paths are added. */
export const base = web.refine(value => !/[?#]/.test(value), 'must not have a query or a fragment: a path follows it')

/** Max number: Node's timers count in 32 bits, and overflow beyond that. */
export const MOST = 2 ** 31 - 1
const whole = z.coerce.number('must be a number').int('must be a whole number').max(MOST, `must be at most ${MOST}`)
export const count = whole.positive('must be greater than 0')
export const countOrNone = whole.nonnegative('must be at least 0')
const UNITS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }
/** Duration in ms. */
export const duration = text.regex(
  /^(?:0|\d{1,5}[smhd])$/, 'must be a duration such as 90s, 10m, 24h or 7d',
).transform(
  value => Number.parseInt(value) * (UNITS[value.at(-1) as keyof typeof UNITS] ?? 0),
)
export const uuid = text.regex(/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i, 'must be a GUID')
/** Text that goes into a header unchanged. */
export const token = text.regex(/^[\x21-\x7E]+$/, 'must not have a space, or a character that a header cannot carry')

/**
 * True for a Standard Webhooks secret: 24 to 64 bytes
 * (https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md#signature-scheme).
 */
function isSigningSecret(value: string): boolean {
  const encoded = value.replace('whsec_', '')
  const { length } = Buffer.from(encoded, 'base64')
  return isBase64(encoded) && length >= 24 && length <= 64
}

export function isBase64(encoded: string): boolean {
  return encoded !== '' && Buffer.from(encoded, 'base64').toString('base64') === encoded
}

export const signingSecret = text.startsWith('whsec_', 'must start with whsec_').refine(
  isSigningSecret, 'must be a Standard Webhooks secret, which is whsec_ and 24 to 64 bytes in base64',
)

/** One secret or, while the receiver changes over, two. */
export const signingSecrets = text.transform(secrets => secrets.trim().split(/\s+/)).pipe(
  z.array(signingSecret).max(2, 'must be one secret or two, separated by a space: take the oldest out'),
)

/** A host in one's own network may have no dot: `ops@localhost`. RFC 5321, 4.5.3.1: 64 characters before the @. */
export const email = z.email({ pattern: z.regexes.html5Email, error: 'must be an email address' }).refine(
  value => !/^\.|\.[.@]/.test(value), 'must be an email address',
).refine(
  value => value.length <= 254 && value.indexOf('@') <= 64, 'is longer than an email address can be',
)

/** URL to which forwarded forms are posted. */
export const endpoint = web.refine(
  value => !URL.canParse(value) || new URL(value).username === '',
  'must not carry a user name; use FORWARD_SIGNING_SECRET or a token in the URL',
)
export const flag = z.enum(['1', '0', 'true', 'false'], 'must be 1 or 0').transform(value => value === '1'
  || value === 'true')
/** Origin of a website. Browsers send it without a path. */
export const origin = (hint: string) => url(/^https?$/, hint).refine(
  value => /^\w+:\/\/[^/?#@]+\/?$/.test(value), hint,
).transform(value => new URL(value).origin)
/** Items separated by commas. */
export const list = text.transform(items => items.split(',').map(item => item.trim()).filter(Boolean))

import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { platforms as known } from '../platforms/registry'
import { email, endpoint, origin } from '../variable'

const website = origin('it is not an origin such as https://example.com')

/** Resend takes no more: https://resend.com/docs/api-reference/emails/send-email */
const MOST_ADDRESSES = 50

const formSchema = z.strictObject({
  /** As cards and emails name it. */
  name: z.string().trim().min(1, 'is empty').max(80, 'has more than 80 characters').regex(
    /^\P{C}*$/u, 'has a line break, or another character that nobody sees',
  ),
  /**
   * Channel ids by platform: `slack`, `discord` and so on; the default form's channels when absent. One of another
   * Slack workspace is `T0123456789:C0123456789`.
   */
  channels: z.record(z.string(), z.string().min(1, 'is empty')).optional(),
  /** One address or several; FORWARD_EMAIL when absent. */
  to: z.union([email.transform(one => [one]), z.array(email)])
    .refine(to => to.length > 0, 'it has no address')
    .refine(
      to => to.length <= MOST_ADDRESSES,
      `it has more than ${MOST_ADDRESSES} addresses, and Resend takes no more for one email`,
    ).optional(),
  /** URL to which a forward is also posted; FORWARD_ENDPOINT when absent, none when null. */
  endpoint: endpoint.nullable().optional(),
  /** Websites that may send it; FORM_ALLOWED_ORIGINS when absent. */
  allowedOrigins: z.array(website).min(1, 'lists nothing').optional(),
  /** What people read instead of a field's key, in the order in which fields are shown. */
  fields: z.record(z.string(), z.string().min(1, 'is empty').max(150, 'has more than 150 characters')).optional(),
})

const KEY = /^[a-z0-9][a-z0-9-]{0,62}$/

const formsSchema = z.record(z.string().regex(KEY, 'is no key of lower-case letters, digits and hyphens'), formSchema)

type FormConfig = z.output<typeof formSchema>
export type FormsConfig = Readonly<Record<string, FormConfig>>

/** Types `forms.config.ts`. */
export function defineForms(
  forms: Record<string, z.input<typeof formSchema>>,
): Record<string, z.input<typeof formSchema>> {
  return forms
}

/**
 * The forms beside the default one, from `forms.config.ts`, or from the JSON file at `path`.
 *
 * @param builtIn what `forms.config.ts` says
 * @param platforms keys of the configured platforms, the only ones that may be named; any when null
 * @param problems where everything wrong is added, a line each
 */
export function readForms(
  builtIn: unknown, path: string | undefined, platforms: readonly string[] | null, problems: string[],
): FormsConfig {
  const source = path ? `FORMS_CONFIG (${path})` : 'forms.config.ts'
  let raw: unknown
  try {
    raw = path ? JSON.parse(readFileSync(path, 'utf8')) : builtIn
  }
  catch (error) {
    problems.push(`${source} cannot be read: ${error instanceof SyntaxError ? 'it is not JSON' : (error as NodeJS.ErrnoException).code}.`)
    return {}
  }
  const parsed = formsSchema.safeParse(raw)
  if (!parsed.success) {
    problems.push(
      ...parsed.error.issues.map(({ path: at, message }) => `${source}: ${at.join('.') || 'it'} ${message.replace(/^it /, '')}.`),
    )
    return {}
  }
  for (const [key, { channels = {} }] of Object.entries(parsed.data)) {
    const misspelt = Object.entries(channels).flatMap(([platform, channel]) => (
      channelProblem(platform, channel)?.replace(/^it/, platform) ?? []
    ))
    problems.push(...misspelt.map(problem => `${source}: ${key}.channels.${problem}.`))
    const unknown = Object.keys(channels).filter(platform => platforms && !platforms.includes(platform))
    problems.push(
      ...unknown.map(platform => `${source}: ${key}.channels.${platform} is not a configured platform. Configured: ${platforms?.join(', ')}.`),
    )
  }
  return parsed.data
}

/** What is wrong with the channel of a form, or null. */
function channelProblem(platform: string, channel: string): string | null {
  const schema = known.find(({ key }) => key === platform)?.channel.schema
  return schema?.safeParse(channel).error?.issues[0]?.message ?? null
}

import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { platforms as allPlatforms } from '../platforms/registry'
import { origin, web } from '../variable'
import { PAGE_TEXTS, type PageText } from '../ports/form'
import type { Aliases } from '../domain/people/people'
import { DESTINATION_SETTINGS, destinationProblems } from '../domain/deliveries/settings'
import { valueAt } from '../domain/fields/paths'
import { isObject, orderedObject, parseJson, RepeatedKey } from '../domain/json'
import { CONTROLS } from '../domain/intake/envelope'
import { fieldRule, takesFiles, type WrittenField, fileRule } from './field-rules'
import { inPlainWords, parseSetting } from './issues'
import { listedPerson } from './people'

const website = origin('must be an origin such as https://example.com')

const line = (max: number) => z.string().trim().min(1, 'must not be empty').max(
  max, `must have at most ${max} characters`,
).regex(
  /^\P{C}*$/u, 'must not have a line break or an invisible character',
)

// One schema for all texts: separate ones would double the schemas made at each start.
const pageText = line(500).optional()

/** Texts of a form's pages that replace the default ones in `locales/`. */
const pageTexts = z.strictObject(Object.fromEntries(
  PAGE_TEXTS.map(name => [name, pageText]),
) as Record<PageText, typeof pageText>)

/** Placeholder that other settings fill in from a submission */
const PLACEHOLDER = /\{[^{}]*\}/

const PLACEHOLDER_PROBLEM = 'must not have a placeholder such as {name}: a confirmation never quotes the form'

const confirmation = z.strictObject({
  subject: line(200).refine(text => !PLACEHOLDER.test(text), PLACEHOLDER_PROBLEM),
  text: z.string().trim().min(1, 'must not be empty').max(5000, 'must have at most 5000 characters').refine(
    text => !PLACEHOLDER.test(text), PLACEHOLDER_PROBLEM,
  ),
})

const formSchema = z.strictObject({
  /** Name in cards and emails. */
  name: line(80),
  /**
   * Channel ids by platform: `slack`, `discord` and so on; the default form's channels when absent. A channel of
   * another Slack workspace is written `T0123456789:C0123456789`.
   */
  channels: z.record(z.string(), z.string().min(1, 'must not be empty')).optional(),
  ...DESTINATION_SETTINGS,
  /** Subject of a submission in emails and cards; `{key}` stands for the value of a field. */
  subject: line(200).optional(),
  /** Path or label of the field with the sender's address, for replies and `confirm`; found by its name if absent. */
  replyTo: line(200).optional(),
  /** Email to the sender after the forward, with these texts and no form data. No email when absent. */
  confirm: confirmation.optional(),
  /** Page to open after a form sent without a script; our own page when absent. `_next` overrides it. */
  redirect: web.transform(value => new URL(value).href).optional(),
  /** Texts of our pages for the sender, by language: `{ de: { thanks: 'Danke!' } }`. */
  texts: z.record(
    z.string().regex(/^[a-z]{2,3}(?:-[a-z\d]{2,8})*$/, 'must be a language such as de or pt-br'), pageTexts,
  ).optional(),
  /** Websites that may send it; FORM_ALLOWED_ORIGINS when absent. */
  allowedOrigins: z.array(website).min(1, 'must not be empty').optional(),
  /** Labels of fields, or rules for their values, in the order in which fields are shown. */
  fields: z.record(z.string(), fieldRule).optional(),
  /** `keep` or `refuse` fields that are not listed; `keep` when absent. */
  extra: z.enum(['keep', 'refuse'], 'must be keep or refuse').optional(),
  /** Fields shown folded, after the others: paths or labels */
  technical: z.array(z.string().min(1, 'must not be empty')).min(1, 'must not be empty').optional(),
  /** Files that the form takes: in its `file` fields, or in any field if it has none. No files when absent. */
  files: fileRule.optional(),
  /** True to hold the forms of senders who fail the human check, instead of refusing them. */
  hold: z.boolean('must be true or false').optional(),
  /**
   * With TAKE, the rights of others during an assignment: `soft`, they may decide after a warning; `exclusive`, they
   * may not. Soft when absent.
   */
  claim: z.enum(['soft', 'exclusive'], 'must be soft or exclusive').optional(),
  /** Reviewers, written like REVIEWERS; REVIEWERS when absent. */
  reviewers: z.array(listedPerson).min(1, 'lists nobody').optional(),
})

/** Default of FORM_HONEYPOT */
export const HONEYPOT = '_gotcha'

const KEY = /^[a-z0-9][a-z0-9-]{0,62}$/

/** Ids of each person, written like PEOPLE: `{ ada: ['slack:U0123456789', 'ops:ada'] }`. */
const peopleSchema = z.record(z.string(), z.array(z.string()))

type FormConfig = z.output<typeof formSchema>
export type FormsConfig = Readonly<Record<string, FormConfig>>

type WrittenForm = Omit<z.input<typeof formSchema>, 'fields'> & { fields?: Record<string, WrittenField> }
type WrittenForms = Record<string, WrittenForm | Record<string, string[]>>

/** Types `forms.config.ts`. */
export function defineForms(forms: WrittenForms): WrittenForms {
  return forms
}

/**
 * Reads all forms except the default one, and the people's ids under `people`, from `forms.config.ts` or from the JSON
 * file at `path`.
 *
 * @param builtIn content of `forms.config.ts`
 * @param platforms keys of the platforms that may be named: the configured ones; null allows any
 * @param problems receives every mistake, a line each
 * @param honeypot name of the field that people do not see
 */
export function readForms(
  builtIn: unknown, path: string | undefined, platforms: readonly string[] | null, problems: string[],
  honeypot = HONEYPOT,
): { forms: FormsConfig, people?: Aliases } {
  const source = path ? `FORMS_CONFIG (${path})` : 'forms.config.ts'
  const report = (problem: string) => void problems.push(`${source}: ${problem}.`)
  let [raw, ordered] = [builtIn, builtIn]
  try {
    if (path) ({ raw, ordered } = readJson(path, report))
  }
  catch (error) {
    problems.push(`${source} cannot be read: ${error instanceof SyntaxError ? error.message : (error as NodeJS.ErrnoException).code}.`)
    return { forms: {} }
  }
  const result = z.record(z.string(), z.unknown()).safeParse(raw, inPlainWords)
  if (!result.success) {
    report('must be an object')
    return { forms: {} }
  }
  const { people, ...formSettings } = result.data
  const forms = Object.entries(inOrderOf(ordered, formSettings)).map(([key, form]) => {
    const reportInForm = (problem: string) => report(`${key}${problem}`)
    if (!KEY.test(key)) reportInForm(' must be a key of lower-case letters, digits and hyphens')
    if (isObject(form) && form.name === undefined) reportInForm('.name is missing. It must be a text')
    const schemaWithName = formSchema.extend({ name: formSchema.shape.name.default(key) })
    const config: FormConfig = parseSetting(schemaWithName, form, reportInForm) ?? { name: key }
    for (const problem of findFormProblems(config, platforms, honeypot)) reportInForm(`.${problem}`)
    const { fields } = config
    return [key, {
      ...config,
      ...fields && { fields: inOrderOf(valueAt(ordered, [key, 'fields']), fields) },
      ...takesFiles(fields) && { files: config.files ?? fileRule.parse({}) },
    }] as const
  })
  return {
    forms: orderedObject(forms) as FormsConfig,
    ...people !== undefined && {
      people: parseSetting(peopleSchema, people, problem => report(`people${problem}`)) ?? {},
    },
  }
}

/** Puts the members of an object into the order in which they were written. */
function inOrderOf<T>(ordered: unknown, members: Readonly<Record<string, T>>): Record<string, T> {
  const keys = Object.keys(isObject(ordered) ? ordered : members).filter(key => Object.hasOwn(members, key))
  return orderedObject(keys.map(key => [key, members[key]])) as Record<string, T>
}

/** Returns contradictions between the parts of a form. */
function findFormProblems(form: FormConfig, platforms: readonly string[] | null, honeypot: string): string[] {
  const { channels = {}, fields = {}, files, extra, destinations = [] } = form
  return [
    ...destinationProblems(form),
    ...destinations.flatMap(each => 'channel' in each
      ? findChannelProblems(each.channel.split(':')[0]!, platforms).map(
          problem => `destinations has the channel ${each.channel}, whose platform ${problem}`,
        )
      : []),
    ...Object.keys(channels).flatMap(
      key => findChannelProblems(key, platforms).map(problem => `channels.${key} ${problem}`),
    ),
    ...Object.keys(fields).filter(field => field === honeypot || CONTROLS.includes(field)).map(field => (
      `fields.${field} is taken out of every form, as ${field === honeypot ? 'FORM_HONEYPOT' : 'what its page says of it'}: give the field another name`
    )),
    ...files && extra === 'refuse' && !takesFiles(fields)
      ? ['no field accepts files, because extra is refuse: give one field the type file']
      : [],
  ]
}

/**
 * Returns the content, as JavaScript has it and in the order of the file. Reports only the position of a mistake,
 * because the text around it may contain a token.
 *
 * @throws SyntaxError, and errors of reading the file
 */
function readJson(path: string, report: (problem: string) => void): Record<'raw' | 'ordered', unknown> {
  // Editors on Windows put an invisible mark at the start of a file.
  const text = readFileSync(path, 'utf8').replace(/^\uFEFF/, '')
  try {
    // JSON.parse drops all but one of the forms or fields with the same key, and moves numbered ones to the front.
    const ordered = parseJson(text)
    return { raw: JSON.parse(text), ordered }
  }
  catch (cause) {
    if (!(cause instanceof RepeatedKey)) {
      throw new SyntaxError(`must be JSON${/ \(line \d+ column \d+\)/.exec(String(cause))?.[0] ?? ''}`, { cause })
    }
    report(`has the same key twice in one place (line ${text.slice(0, cause.at).split('\n').length})`)
    const raw: unknown = JSON.parse(text)
    return { raw, ordered: raw }
  }
}

/** @param configuredKeys keys of the platforms that may be named; null allows any */
function findChannelProblems(platform: string, configuredKeys: readonly string[] | null): string[] {
  if (!allPlatforms.some(({ key }) => key === platform)) {
    return [`is no platform. There are ${allPlatforms.map(({ key }) => key).join(', ')}`]
  }
  const isMissing = configuredKeys && !configuredKeys.includes(platform)
  return isMissing ? [`is not a configured platform. Configured: ${configuredKeys.join(', ')}`] : []
}

/** Warnings about channels of forms that look unusual, a line each */
export function unusualChannels(forms: FormsConfig): string[] {
  return Object.entries(forms).flatMap(([form, { channels = {} }]) => allPlatforms.flatMap(({ key, channel }) => {
    const channelId = channels[key]
    const problem = channelId && channel.usual.safeParse(channelId).error?.issues[0]?.message
    return problem ? [`The form ${form} has a channel of ${key} that looks unusual: ${problem}.`] : []
  }))
}

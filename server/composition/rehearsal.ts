import type { CardChild } from 'chat'
import { FIELD_TYPES, fieldTypeOf, isFileField } from '../../shared/field-types/field-types'
import { renderCard } from '../adapters/chat/cards'
import { renderEmail } from '../adapters/email/template'
import { readForms } from '../config/forms'
import { readPeople } from '../config/people'
import { InvalidFields } from '../domain/errors'
import type { Answer } from '../domain/fields/answers'
import { answerNamed, answersNamed, readingOf } from '../domain/fields/reading'
import { isNumber, isObject, orderedObject } from '../domain/json'
import { composeEmail } from '../domain/outbox/email'
import { CONTROLS, envelopeOf } from '../domain/intake/envelope'
import { megabytes } from '../domain/files/file-texts'
import { typed } from '../domain/fields/rules'
import { hasField, findSender } from '../domain/fields/sender'
import { cardView } from '../domain/cards/card-view'
import { isDefault } from '../domain/deliveries/delivery'
import {
  DELIVERIES, allAddresses, deliveriesOf, deliveryName, rowOf, targetsOf,
} from '../domain/deliveries/registry'
import { fieldTexts, textsFor } from '../http/pages/page-texts'
import { outside } from '../platforms/registry'
import type { Email, MailSender } from '../ports/delivery'
import type { FieldRule } from '../ports/field-rules'
import type { StoredFile } from '../ports/files'
import type { Form } from '../ports/form'
import type { Submission, SubmissionData } from '../ports/submission'
import { createForms } from './forms'

interface Asked {
  /** Content of `forms.config.ts`, or the path of a JSON file with such content. */
  config: unknown
  path?: string
  /** Samples by key of their form; forms without a sample get a made-up one. */
  samples?: Readonly<Record<string, unknown>>
  env: Readonly<Record<string, string | undefined>>
}

/** Result for one form. */
interface Rehearsed {
  key: string
  name: string
  mistakes: string[]
  /** Rooms of its card, email recipients, endpoint and so on; one line each. */
  facts: string[]
  /** Its card as text, with the platforms on which it looks like that. */
  cards: { on: string[], text: string }[]
  email: Email
}

export interface Rehearsal {
  /** Mistakes of the configuration as a whole. */
  mistakes: string[]
  forms: Rehearsed[]
}

/** Any time works; a fixed one makes two rehearsals comparable. */
const AT = Date.UTC(2026, 10, 22, 9)
const ID = '0b1f2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d'

/** Example value for each field type. */
/** Tries every named form with a sample, before anybody sees it. Sends nothing. */
export async function rehearse({ config, path, samples = {}, env }: Asked): Promise<Rehearsal> {
  const mistakes: string[] = []
  const { forms, people } = readForms(config, path, null, mistakes, env.FORM_HONEYPOT)
  readPeople({}, people, mistakes)
  const all = createForms({
    forms, mail: { ...mailSender(env), to: [env.FORWARD_EMAIL ?? 'team@example.com (FORWARD_EMAIL)'] },
    endpoint: { url: env.FORWARD_ENDPOINT }, people: { claimMs: null },
  }, { send: () => Promise.reject(new Error('Nothing is sent.')) } as never, outside.map(
    platform => ({ platform, channelId: platform.key }),
  ))
  mistakes.push(...Object.keys(samples).filter(key => mistakes.length === 0 && !all.find(key)).map(
    key => `There is a sample of the form ${JSON.stringify(key)}, and no such form.`,
  ))
  const named = all.all.filter(({ key }) => key !== undefined)
  return { mistakes, forms: await Promise.all(named.map(form => rehearseForm(form, samples[form.key!], env))) }
}

/** @param env settings that an email shows in addition to the form; made up if missing */
async function rehearseForm(form: Form, sample: unknown, env: Asked['env']): Promise<Rehearsed> {
  const { key = '', name = '', rooms, confirm: words } = form
  const body = isObject(sample) ? sample : madeUp(form)
  const mistakes = sample !== undefined && !isObject(sample) ? ['Its sample is no JSON object.'] : []
  mistakes.push(...unfilledPlaces(form, sample === undefined ? {} : body))
  if (form.replyTo !== undefined && isObject(sample) && !hasField(form.replyTo, sample)) {
    mistakes.push(`Its replyTo is ${JSON.stringify(form.replyTo)}, and its sample has no such field.`)
  }
  const siteUrl = env.NUXT_PUBLIC_SITE_URL ?? null
  const submission = submissionOf(form, body, mistakes)
  const [mainDelivery, ...otherDeliveries] = deliveryFacts(form, submission)
  const view = cardView(submission, { siteUrl, forms: { all: [form], rooms, of: () => form, find: () => form } })
  const shown = outside.filter(platform => rooms.some(room => room.split('/')[0] === platform.key))
  const cards = new Map<string, string[]>()
  for (const platform of shown) {
    const { card } = renderCard(view, platform)
    const text = [card.title ?? '', ...card.children.map(textOf)].filter(Boolean).join('\n')
    cards.set(text, [...cards.get(text) ?? [], platform.label])
  }
  const decision = { action: 'forward' as const, at: AT, reviewer: { id: 'ada', name: 'Ada', platform: 'Slack' } }
  const message = await composeEmail({ ...submission, decision }, form, mailSender(env), async () => renderEmail)
  const email = { ...message, to: allAddresses(form) }
  const { candidates } = findSender(submission, form)
  const replyTo = email.replyTo ?? (candidates
    ? `nobody, because any of these could be the sender's: ${candidates.join(', ')}. Set replyTo of the form`
    : 'nobody, because the sample has no address of its sender')
  return {
    key, name, mistakes, email,
    facts: [
      `Cards: ${placesOf(rooms)}`, mainDelivery!,
      `Reply to: ${replyTo}`,
      ...form.files
        ? [`Files: up to ${form.files.max} of ${megabytes(form.files.maxBytes)} each, ${form.files.types.join(', ')}`]
        : [],
      ...otherDeliveries,
      ...isObject(sample) ? [...pathFacts(submission.data, form), ...unmatchedFacts(form, body)] : [],
      ...words ? [`Afterwards: “${words.subject}” to ${email.replyTo ?? 'nobody'}`] : [],
    ],
    cards: [...cards].map(([text, on]) => ({ on, text })),
  }
}

/** Returns who gets a forward of this sample, a line each; the email first. */
function deliveryFacts(form: Form, submission: Submission): string[] {
  const taken = deliveriesOf(form, submission)
  if (form.destinations.every(({ id }) => isDefault(id))) {
    return DELIVERIES.filter(({ isOptional }) => !isOptional).map(
      ({ key, label }) => `${label}: ${targetsOf(key, form).join(', ') || 'none'}`,
    )
  }
  return form.destinations.map(({ id }) => (
    `${rowOf(id)!.label} ${deliveryName(id)}: ${targetsOf(id, form).join(', ')}`
    + (taken.includes(id) ? '' : ' (not this sample)')
  ))
}

function mailSender(env: Asked['env']): MailSender {
  return { fromAddress: env.MAIL_FROM_ADDRESS ?? 'forms@example.com', fromName: env.MAIL_FROM_NAME ?? 'Formbot' }
}

/** Returns a message for each {placeholder} of the subject that no known field fills; none if no field is known. */
function unfilledPlaces({ subject = '', labels }: Form, sample: Record<string, unknown>): string[] {
  const { answers } = readingOf(sample)
  const fields = [...new Set([...Object.keys(labels), ...answers.map(({ key }) => key)])]
  const places = [...subject.matchAll(/\{([^{}]*)\}/g)].filter(
    ([, field]) => !fields.includes(field!) && !answerNamed(field!, sample),
  )
  return fields.length === 0
    ? []
    : places.map(([place]) => `Its subject has the placeholder ${place}, but no field has that name. The fields are ${fields.join(', ')}.`)
}

/** Returns settings for fields that the sample lacks: misspelt paths or labels, or fields that it leaves out. */
function unmatchedFacts({ labels, technical = [], fields = {} }: Form, sample: SubmissionData): string[] {
  const names = [...Object.keys(labels).filter(name => !isFileField(fields[name] ?? {})), ...technical]
  const answers = answersNamed(names, sample)
  const unmatchedNames = names.filter((_, index) => !answers[index])
  return unmatchedNames.length > 0 ? [`Not in the sample: ${unmatchedNames.join(', ')}`] : []
}

/** Returns path, label and type of each answer, a line each; none for a flat sample: its card shows them all. */
function pathFacts(data: SubmissionData | null, form: Form): string[] {
  const { answers, technical } = readingOf(data, form)
  const isFlat = technical.length === 0 && answers.every(({ key, label }) => key === label)
  const factOf = (what: string) => ({ key, label, value }: Answer) => `${what} ${key}: ${label} (${typeOf(value)})`
  return isFlat ? [] : [...answers.map(factOf('Path')), ...technical.map(factOf('Technical detail'))]
}

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return 'list'
  if (value === null) return 'nothing'
  return typeof value === 'string' ? 'text' : isNumber(value) ? 'number' : typeof value
}

/** Adds errors in the sample's data to the mistakes, and continues with the data as they are. */
function submissionOf(form: Form, body: Record<string, unknown>, mistakes: string[]): Submission {
  const files = filesIn(body, form)
  let data = orderedObject(Object.entries(body).filter(
    ([field]) => !CONTROLS.includes(field) && !files.some(file => file.field === field),
  ))
  try {
    data = typed(data, form, files) as Record<string, unknown>
  }
  catch (error) {
    if (!(error instanceof InvalidFields)) throw error
    const texts = fieldTexts(error.problems, textsFor('en').texts)
    mistakes.push(...Object.entries(texts).map(
      ([field, text]) => `The sample's field ${JSON.stringify(field)}: ${text}`,
    ))
  }
  return {
    id: ID, form: form.key, version: 1, state: 'open', receivedAt: AT, expiresAt: AT,
    data: data as SubmissionData, reminded: false, edited: [], cards: [], decision: null, work: [], delivered: [],
    failures: [], history: [], envelope: { ...envelopeOf(body), ...files.length > 0 && { files } },
  }
}

/** Returns the files of a sample. A sample has only their names, so each gets the first type that the form takes. */
function filesIn(body: Record<string, unknown>, { fields = {}, files }: Form): StoredFile[] {
  const type = files?.types[0]!.replace('/*', '/png') ?? ''
  return Object.entries(body).flatMap(([field, value]) => (
    isFileField(fields[field] ?? {})
      ? [value].flat().filter(name => typeof name === 'string' && name !== '').map(
          name => ({ field, name: name as string, type, size: 90_000, sha256: '' }),
        )
      : []
  ))
}

function madeUp({ labels, fields = {} }: Form): Record<string, unknown> {
  const keys = Object.keys(labels).length > 0 ? Object.keys(labels) : ['name', 'email', 'message']
  return Object.fromEntries(keys.map(key => [key, exampleOf(key, fields[key] ?? {})]))
}

function exampleOf(key: string, rule: FieldRule): unknown {
  const { minLength = 0, maxLength } = rule
  const { email, textarea } = FIELD_TYPES
  const likelyType = /mail/i.test(key) ? email : /message|notes/i.test(key) ? textarea : null
  const example = (fieldTypeOf(rule).example ?? likelyType?.example)?.(rule) ?? 'Ada Lovelace'
  return typeof example === 'string' ? example.padEnd(minLength, '.').slice(0, maxLength) : example
}

function placesOf(rooms: readonly string[]): string {
  const labelled = rooms.flatMap((room) => {
    const [key, channel] = room.split('/')
    return channel ? [`${outside.find(platform => platform.key === key)?.label} ${channel}`] : []
  })
  return labelled.join(', ') || 'the channel of every platform that is set up'
}

function textOf(child: CardChild): string {
  switch (child.type) {
    case 'fields': return child.children.map(({ label, value }) => (
      `${label}: ${value.replaceAll('\n', `\n${' '.repeat(label.length + 2)}`)}`
    )).join('\n')
    case 'text': return child.content
    case 'link': return `${child.label}: ${child.url}`
    case 'actions': return child.children.map(each => `[${'label' in each ? each.label : ''}]`).join(' ')
    default: return ''
  }
}

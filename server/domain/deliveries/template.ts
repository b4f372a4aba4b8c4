import { z } from 'zod'
import { english } from '../../../shared/texts'
import { cut, visible } from '../../../shared/utils/text'
import type { StoredFile } from '../../ports/files'
import type { Json } from '../../ports/delivery'
import type { Form } from '../../ports/form'
import type { Submission } from '../../ports/submission'
import { submissionUrl } from '../cards/submission-url'
import type { Presentation } from '../context'
import type { Answer } from '../fields/answers'
import { inOrder } from '../fields/fields'
import { answerNamed, readingOf } from '../fields/reading'
import { ruleFor } from '../fields/rules'
import { findSender } from '../fields/sender'
import { displayText, fieldText } from '../fields/values'
import { fileFields, filesNamed } from '../files/file-texts'
import { isObject, orderedObject } from '../json'
import { emailSubject, withFiles } from '../outbox/email'

/** `{{name}}`, or `{{name|200}}` for at most 200 characters */
const PLACEHOLDER = /\{\{([^{}|]+)(?:\| *(\d{1,6}) *)?\}\}/g

const PLACEHOLDER_PROBLEM
  = 'has {{ without a name and }}. Write {{subject}}, or {{message|200}} for at most 200 characters of it'

/** Body of a request as JSON, whose texts may have placeholders */
export const bodySchema = z.custom<Json>().check(({ value, issues }) => {
  for (const problem of problemsIn(value, [])) issues.push({ code: 'custom', input: value, ...problem })
})

function problemsIn(body: unknown, path: PropertyKey[]): { path: PropertyKey[], message: string }[] {
  if (Array.isArray(body)) return body.flatMap((item, index) => problemsIn(item, [...path, index]))
  if (isObject(body)) return Object.entries(body).flatMap(([key, each]) => problemsIn(each, [...path, key]))
  if (typeof body === 'string') {
    const rest = body.replace(PLACEHOLDER, (placeholder, name: string) => name.trim() === '' ? placeholder : '')
    return rest.includes('{{') ? [{ path, message: PLACEHOLDER_PROBLEM }] : []
  }
  const isJson = body === null || typeof body === 'boolean' || Number.isFinite(body)
  return isJson ? [] : [{ path, message: 'must be JSON: a text, number, true, false, null, list or object' }]
}

/** A value of a submission: as JSON, and as text among other text */
interface Value { json: unknown, text: string }

/** Returns the value with this name; undefined if there is none. */
type Values = (name: string) => Value | undefined

/**
 * Returns the body with its placeholders filled in. A text that is only a placeholder becomes the value as JSON, or
 * null. Values are never searched for placeholders.
 */
export function fillBody(body: Json, values: Values): unknown {
  if (typeof body === 'string') return fillText(body, values)
  if (Array.isArray(body)) return body.map((item: Json) => fillBody(item, values))
  if (!isObject(body)) return body
  return Object.fromEntries(Object.entries(body).map(([key, each]) => [key, fillBody(each as Json, values)]))
}

function fillText(text: string, values: Values): unknown {
  const [only, ...others] = text.matchAll(PLACEHOLDER)
  const isAlone = only?.[0] === text && others.length === 0 && only[2] === undefined
  if (isAlone) return values(only[1]!.trim())?.json ?? null
  return text.replace(PLACEHOLDER, (_, name: string, max?: string) => (
    cut(values(name.trim())?.text ?? '', max === undefined ? Infinity : Number(max))
  ))
}

/** Start of the name of an answer that has the name of another value, such as `answers.url` */
const PREFIX = 'answers.'

/** Returns the values of a submission for `fillBody`. Each is made when it is asked for. */
export function valuesOf(submission: Submission, form: Form, presentation: Presentation): Values {
  const { id, receivedAt, decision } = submission
  const textValue = (text = ''): Value => ({ json: text || null, text })
  const timeValue = (at?: number) => textValue(at === undefined ? '' : new Date(at).toISOString())
  const fixed: Record<string, () => Value> = {
    subject: () => textValue(emailSubject(submission, form, false, presentation.texts)),
    answers: () => answersValue(submission, form, presentation),
    data: () => {
      const data = withFiles(submission, presentation.files)
      return { json: data, text: JSON.stringify(data) }
    },
    id: () => textValue(id),
    form: () => textValue(form.name),
    receivedAt: () => timeValue(receivedAt),
    decidedAt: () => timeValue(decision?.at),
    reviewer: () => textValue(decision?.reviewer.name),
    url: () => textValue(submissionUrl(id, presentation) ?? ''),
    sender: () => textValue(findSender(submission, form).address),
    senderName: () => textValue(findSender(submission, form).name),
  }
  const answerOrFiles = (name: string) => {
    const answer = answerNamed(name, submission.data, form.labels)
    if (answer) return answerValue(answer, form, presentation)
    const files = filesNamed(name, submission, form)
    return files.length > 0 ? filesValue(files, submission, form, presentation) : undefined
  }
  return name => Object.hasOwn(fixed, name)
    ? fixed[name]!()
    : answerOrFiles(name) ?? (name.startsWith(PREFIX) ? answerOrFiles(name.slice(PREFIX.length)) : undefined)
}

/** All answers and files, as an object by their labels and as a line each */
function answersValue(submission: Submission, form: Form, presentation: Presentation): Value {
  const named = new Map<string, Value>()
  const add = (label: string, key: string, value: Value) => {
    let name = named.has(label) ? key : label
    while (named.has(name)) name += '*'
    named.set(name, value)
  }
  for (const answer of inOrder(readingOf(submission.data, form).answers, form.labels)) {
    add(answer.label, answer.key, answerValue(answer, form, presentation))
  }
  for (const [field, files] of Map.groupBy(submission.envelope?.files ?? [], each => each.field)) {
    const label = Object.hasOwn(form.labels, field) ? form.labels[field]! : field
    add(label, field, filesValue(files, submission, form, presentation))
  }
  const lines = [...named].map(([label, { text }]) => (
    `${visible(label.toWellFormed())}:${text.includes('\n') ? '\n' : ' '}${text}`
  ))
  return { json: orderedObject([...named].map(([label, { json }]) => [label, json])), text: lines.join('\n') }
}

/** An answer: its value as it was sent, but the texts of choices; as text, what cards show */
function answerValue(answer: Answer, form: Form, { texts = english }: Presentation): Value {
  const { value, choices } = answer
  const chosenText = (item: unknown) => choices?.get(fieldText(item)) ?? item
  return {
    json: Array.isArray(value) ? value.map(chosenText) : chosenText(value),
    text: value === null ? '' : visible(displayText(answer, ruleFor(answer, form.fields), texts)),
  }
}

/** Files of one field: as JSON with their facts and links, as text with their names and links */
function filesValue(
  files: readonly StoredFile[], submission: Submission, form: Form, { files: addresses, texts }: Presentation,
): Value {
  const { id, envelope } = submission
  const fields = fileFields(submission, form, texts)
  const linked = files.map((file) => {
    const index = envelope!.files!.indexOf(file)
    const url = addresses?.url(id, index) ?? null
    const { field: _, ...facts } = file
    return { json: { ...facts, url }, text: [fields[index]!.value, url].filter(Boolean).join(' ') }
  })
  return { json: linked.map(({ json }) => json), text: linked.map(({ text }) => text).join('\n') }
}

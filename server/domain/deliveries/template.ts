import { z } from 'zod'
import type { Form } from '../../ports/form'
import type { Submission } from '../../ports/submission'
import type { Presentation } from '../context'
import type { AnswerContent } from '../fields/answers'
import { answersNamed, readingOf, settingOf } from '../fields/reading'
import { findSender } from '../fields/sender'
import { fieldText } from '../fields/values'
import { isObject, orderedObject } from '../json'
import { emailSubject } from '../outbox/email'

/** A placeholder, such as `{{subject}}` */
const PLACEHOLDER = /\{\{([^{}]*)\}\}/g

/** A text that is nothing but one placeholder */
const ONLY_PLACEHOLDER = /^\{\{([^{}]*)\}\}$/

/** Setting `body` of an endpoint: any JSON; its texts may have placeholders. */
export const bodySchema = z.json().refine(
  body => !/\{\{\s*\}\}/.test(JSON.stringify(body)), 'has a placeholder {{}} without a name',
)

type ValueOf = (name: string) => unknown

/**
 * Returns the JSON with its placeholders filled in, once: values are never read as placeholders. A text that is only a
 * placeholder becomes the value, for example an object; names of members stay as they are.
 */
export function fillBody(body: unknown, valueOf: ValueOf): unknown {
  if (Array.isArray(body)) return body.map(each => fillBody(each, valueOf))
  if (isObject(body)) return orderedObject(Object.entries(body).map(([key, value]) => [key, fillBody(value, valueOf)]))
  if (typeof body !== 'string') return body
  const [, only] = ONLY_PLACEHOLDER.exec(body) ?? []
  if (only !== undefined) return valueOf(only.trim()) ?? null
  return body.replace(PLACEHOLDER, (_, name: string) => textOf(valueOf(name.trim())))
}

function textOf(value: unknown): string {
  return value === null || value === undefined ? '' : fieldText(value)
}

/** Returns the value of each placeholder: a fact about the submission, or an answer by its path or label. */
export function valuesOf(submission: Submission, form: Form, { siteUrl }: Presentation): ValueOf {
  const { id, data, decision, receivedAt } = submission
  const { labels } = form
  const facts: Record<string, () => unknown> = {
    id: () => id,
    form: () => form.name ?? '',
    subject: () => emailSubject(submission, form),
    data: () => data,
    answers: () => orderedObject(readingOf(data, form).answers.map(
      answer => [settingOf(answer, labels) ?? answer.label, labelled(answer)],
    )),
    receivedAt: () => new Date(receivedAt).toISOString(),
    decidedAt: () => decision && new Date(decision.at).toISOString(),
    reviewer: () => decision?.reviewer.name,
    url: () => siteUrl === null ? '' : `${siteUrl}/submissions/${id}`,
    sender: () => findSender(submission, form).address,
    senderName: () => findSender(submission, form).name,
  }
  return (name) => {
    if (Object.hasOwn(facts, name)) return facts[name]!()
    const [answer] = answersNamed([name], data)
    return answer && labelled(answer)
  }
}

/** Returns the value, with the texts of choices that were sent by id. */
function labelled({ value, choices }: AnswerContent): unknown {
  if (Array.isArray(value)) return value.map(each => labelled({ value: each, choices }))
  return choices?.get(fieldText(value)) ?? value
}

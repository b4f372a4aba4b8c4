import type { Form } from '../../ports/form'
import type { Envelope, Field, Submission } from '../../ports/submission'
import { english } from '../../../shared/texts'
import { cut, oneLine, visible } from '../../../shared/utils/text'
import { addressIn } from '../fields/addresses'
import { isBranch } from '../fields/paths'
import { answerNamed } from '../fields/reading'
import { displayText } from '../fields/values'

/** Fields by which a page controls its form. They are never data. */
export const CONTROLS: readonly string[] = ['_next', '_subject', '_replyto']

/** Max length of a subject before it is cut, characters; mail clients show less. */
const MAX_SUBJECT = 200

/** Returns the address to which the sender's browser goes next. Unchecked: the code that redirects must check it. */
export function nextOf(body: Readonly<Record<string, unknown>>): string | undefined {
  return textOf(body, '_next')
}

/** Returns the subject and reply address that the page sets; undefined if it sets neither. */
export function envelopeOf(body: Readonly<Record<string, unknown>>): Envelope | undefined {
  const subject = cut(oneLine(textOf(body, '_subject') ?? ''), MAX_SUBJECT)
  const replyTo = addressIn(textOf(body, '_replyto') ?? '')
  return subject || replyTo ? { ...subject && { subject }, ...replyTo && { replyTo } } : undefined
}

/** Returns the text of a field; the first one if it was sent several times. */
function textOf(body: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const [firstValue] = Object.hasOwn(body, name) ? [body[name]].flat() : []
  return typeof firstValue === 'string' && firstValue.trim() !== '' ? firstValue.toWellFormed() : undefined
}

/** Returns the subject from the form's template or the page, in one line; undefined if neither has one. */
export function subjectOf(
  { data, envelope }: Submission, { subject: template }: Pick<Form, 'subject'>,
): string | undefined {
  if (!data) return undefined
  let isFilled = false
  const filledSubject = template?.replaceAll(/\{([^{}]+)\}/g, (_, key: string) => {
    const answer = answerNamed(key, data)
    const isTree = !answer || answer.value === null || isBranch(answer.value)
    const text = isTree ? '' : oneLine(displayText(answer, {}))
    isFilled ||= text !== ''
    return text
  })
  const isFixed = template !== undefined && !template.includes('{')
  return filledSubject !== undefined && (isFilled || isFixed)
    ? cut(oneLine(filledSubject), MAX_SUBJECT)
    : envelope?.subject
}

/** Returns the fields that cards show before the data. */
export function envelopeFields(submission: Submission, form: Pick<Form, 'subject'>, texts = english): Field[] {
  const values = { subject: subjectOf(submission, form), replyTo: submission.data && submission.envelope?.replyTo }
  return (['subject', 'replyTo'] as const).flatMap((key) => {
    const value = values[key]
    return value ? [{ label: texts(`card.field.${key}`), value: visible(value), edited: false }] : []
  })
}

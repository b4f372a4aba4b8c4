import { z } from 'zod'
import type { Field } from '../../ports/board'
import type { Email } from '../../ports/delivery'
import type { Form } from '../../ports/form'
import type { Submission } from '../../ports/submission'
import { decisionLine, readFields, readTime } from './present'

const EMAIL = z.email()

/** RFC 5322 advises lines of 78 characters; longer subjects are cut by mail clients anyway. */
const MAX_SUBJECT = 120

/** What scripts of websites send as text when there is nothing. */
const NOTHING = /^(?:null|undefined|NaN|\[object \w+\])$/

export interface MailSender {
  fromAddress: string
  fromName: string
}

/** Everything that the email says, as plain text; the template escapes it. */
export interface EmailContent {
  subject: string
  heading: string
  fields: readonly Field[]
  received: string
  decided: string
  submissionId: string
}

/** Compiles the content into HTML and its plain-text twin. */
export type EmailTemplate = (content: EmailContent) => Pick<Email, 'html' | 'text'>

export async function composeEmail(submission: Submission, form: Form, sender: MailSender, template: () => Promise<EmailTemplate>): Promise<Email> {
  const entries = Object.entries(submission.data ?? {})
  const filledIn = { ...submission, data: Object.fromEntries(entries.map(([key, value]) => [key, value ?? ''])) }
  // Keys tell what a field is, labels may be in any language. A list or an object is no subject, and nobody's name.
  const plain = { ...submission, data: Object.fromEntries(entries.filter(([, value]) => typeof value === 'string' || typeof value === 'number')) }
  const keyed = readFields(plain, {})
  const subject = emailSubject(keyed, form.name)
  const content: EmailContent = {
    subject, heading: form.name ? `Form submission: ${form.name}` : 'Form submission', fields: readFields(filledIn, form.labels),
    received: `Received ${readTime(submission.receivedAt)}`,
    decided: decisionLine(submission),
    submissionId: submission.id,
  }
  return {
    from: `${quotedName(sender.fromName)} <${sender.fromAddress}>`,
    to: form.to,
    replyTo: replyAddress(keyed),
    subject,
    ...(await template())(content),
  }
}

/** What the form is about, in its own words; one line, so that no header can be injected. */
export function emailSubject(fields: readonly Field[], form?: string): string {
  const named = (pattern: RegExp) => fields.find(({ label, value }) => pattern.test(label.trim()) && oneLine(value) && !NOTHING.test(value.trim()))
  const topic = named(/^(subject|topic|title|reason)$/i)
  const sender = named(/^((full|your|first)[\s_-]?)?name$/i) ?? named(/^e?-?mail([\s_-]?address)?$/i)
  const about = topic?.value ?? (sender && `Form submission from ${oneLine(sender.value)}`) ?? 'Form submission'
  const subject = oneLine(form ? `[${form}] ${about}` : about)
  return subject.length > MAX_SUBJECT ? `${subject.slice(0, MAX_SUBJECT - 1).replace(/[\uD800-\uDBFF]$/, '')}…` : subject
}

/** The address of whoever filled in the form: a field named like one first, then any value that is exactly one. */
export function replyAddress(fields: readonly Field[]): string | undefined {
  const addresses = fields.filter(({ value }) => value.length <= 254 && EMAIL.safeParse(value.trim()).success)
  return (addresses.find(({ label }) => /mail|reply/i.test(label)) ?? addresses[0])?.value.trim()
}

/** Joiners (U+200C, U+200D) stay: Persian words and composed emoji fall apart without them. */
function oneLine(text: string): string {
  return text.replace(/(?:(?![\u200C\u200D])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s])+/gu, ' ').trim()
}

/** RFC 5322 quoted-string, so that a comma or angle bracket in the name stays part of the name. */
function quotedName(name: string): string {
  return /^[\w '-]+$/.test(name) ? name : `"${oneLine(name).replace(/["\\]/g, '\\$&')}"`
}

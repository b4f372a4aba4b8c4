import type { Field } from '../../ports/board'
import type { Email } from '../../ports/delivery'
import type { Form } from '../../ports/form'
import type { Sent, Submission } from '../../ports/submission'
import { decisionLine, readFields, readTime } from './present'
import { domainToASCII } from 'node:url'
import { z } from 'zod'

/** RFC 5322 advises lines of 78 characters; longer subjects are cut by mail clients anyway. */
const MAX_SUBJECT = 120

/** Websites' scripts send these texts when a field is empty. */
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
  /** That an earlier email is not right any more; empty for the first. */
  correction: string
  /** What is attached when not all fields fit. */
  attachment: string
}

/** Compiles the content into HTML and its plain-text twin; not `isWhole` when there was no room for all of it. */
export type EmailTemplate = (content: EmailContent) => Pick<Email, 'html' | 'text'> & { isWhole: boolean }

/** @param earlier the email with other values that this one corrects */
export async function composeEmail(
  submission: Submission, form: Form, sender: MailSender, template: () => Promise<EmailTemplate>,
  earlier?: Pick<Sent, 'at'>,
): Promise<Email> {
  const entries = Object.entries(submission.data ?? {})
  const filledIn = { ...submission, data: Object.fromEntries(entries.map(([key, value]) => [key, value ?? ''])) }
  // Keys tell what a field is, labels may be in any language. A list or an object is no subject, and nobody's name.
  const plain = {
    ...submission,
    data: Object.fromEntries(entries.filter(([, value]) => typeof value === 'string' || typeof value === 'number')),
  }
  const keyed = readFields(plain, {})
  const subject = emailSubject(keyed, form.name, earlier !== undefined)
  const content: EmailContent = {
    subject, heading: form.name ? `Form submission: ${form.name}` : 'Form submission',
    fields: readFields(filledIn, form.labels),
    received: `Received ${readTime(submission.receivedAt)}`,
    decided: decisionLine(submission),
    submissionId: submission.id,
    correction: earlier
      ? `This corrects the email that was sent on ${readTime(earlier.at)}: somebody edited the submission since.`
      : '',
    attachment: `submission-${submission.id}.json`,
  }
  const { html, text, isWhole } = (await template())(content)
  return {
    from: `${quotedName(sender.fromName)} <${sender.fromAddress}>`,
    to: form.to,
    replyTo: replyAddress(keyed),
    subject, html, text,
    // A program wrote this: vacation notices do not answer it (RFC 3834).
    headers: { 'Auto-Submitted': 'auto-generated' },
    ...isWhole
      ? {}
      : {
          attachments: [
            { filename: content.attachment, contentType: 'application/json', content: JSON.stringify(submission.data) },
          ],
        },
  }
}

/** What the form is about, in its own words; one line, so that no header can be injected. */
export function emailSubject(fields: readonly Field[], form?: string, isCorrection = false): string {
  const named = (pattern: RegExp) => fields.find(
    ({ label, value }) => pattern.test(label.trim()) && oneLine(value) && !NOTHING.test(value.trim()),
  )
  const topic = named(/^(subject|topic|title|reason)$/i)
  const sender = named(/^((full|your|first)[\s_-]?)?name$/i) ?? named(/^e?-?mail([\s_-]?address)?$/i)
  const about = topic?.value ?? (sender && `Form submission from ${oneLine(sender.value)}`) ?? 'Form submission'
  const subject = oneLine(`${isCorrection ? 'Corrected: ' : ''}${form ? `[${form}] ` : ''}${about}`)
  return subject.length > MAX_SUBJECT
    ? `${subject.slice(0, MAX_SUBJECT - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
    : subject
}

/** Joiners (U+200C, U+200D) stay: Persian words and composed emoji fall apart without them. */
function oneLine(text: string): string {
  return text.replace(/(?:(?![\u200C\u200D])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s])+/gu, ' ').trim()
}

/** RFC 5322 quoted-string, so that a comma or angle bracket in the name stays part of the name. */
function quotedName(name: string): string {
  return /^[\w '-]+$/.test(name) ? name : `"${oneLine(name).replace(/["\\]/g, '\\$&')}"`
}

/** RFC 5321, section 4.5.3.1.3: a path has 256 characters with its brackets. */
const MAX_ADDRESS = 254

/** A form field that begins with an address may go on for long; only so much is looked at. */
const MAX_TEXT = 500

const EMAIL = z.email()

/** `Ada <ada@example.com>`, `"Lovelace, Ada" <ada@example.com>`: a name without a second address, and an address. */
const NAMED = /^(?:"(?:[^"\\\r\n]|\\[^\r\n])*"|[^"<>,;:\r\n]*)[ \t]*<([^<>\s]+)>$/

/** Labels of letters, digits and hyphens, at least two, the last of which is no number. */
const DOMAIN = /^(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.)+[a-z](?:[a-z\d-]{0,61}[a-z\d])$/i

/** The address of whoever filled in the form: a field named like one first, then any value that is exactly one. */
export function replyAddress(fields: readonly Field[]): string | undefined {
  const found = fields.flatMap(({ label, value }) => {
    const address = addressIn(value)
    return address ? [{ label, address }] : []
  })
  return (found.find(({ label }) => /mail|reply/i.test(label)) ?? found[0])?.address
}

/** The one address that the text is, in ASCII, without its name; undefined if a mail provider might refuse it. */
function addressIn(text: string): string | undefined {
  const typed = text.length <= MAX_TEXT ? text.trim() : ''
  const address = NAMED.exec(typed)?.[1] ?? typed
  const at = address.lastIndexOf('@')
  const [local, host] = [address.slice(0, at), address.slice(at + 1)]
  // Mail servers agree on international domains by their ASCII form (RFC 5890). There is none for what is before the @.
  const domain = isAscii(host) ? host : domainToASCII(host)
  const whole = `${local}@${domain}`
  return DOMAIN.test(domain) && EMAIL.safeParse(`${local}@example.com`).success && whole.length <= MAX_ADDRESS
    ? whole
    : undefined
}

function isAscii(text: string): boolean {
  // eslint-disable-next-line no-control-regex
  return /^[\u0000-\u007F]*$/.test(text)
}

import { MOST_BRANCHES, type Branch, type Email, type EmailContent, type EmailTemplate } from '../../ports/delivery'
import type { Form } from '../../ports/form'
import type { Field, Sent, Submission } from '../../ports/submission'
import { inUtc, onDate, plain } from '../../../shared/utils/line'
import { cut, oneLine, visible } from '../../../shared/utils/text'
import { isNumber } from '../json'
import { addressIn } from './addresses'
import { subjectOf } from './envelope'
import { decisionLine } from './endings'
import { fieldText } from './field-text'
import { readFields } from './fields'
import { attachedFiles, mailedFields, type MailFiles } from './mailed-files'

/** RFC 5322 advises lines of 78 characters; longer subjects are cut by mail clients anyway. */
const MAX_SUBJECT = 120

/** Websites' scripts send these texts when a field is empty. */
const NOTHING = /^(?:null|undefined|NaN|\[object \w+\])$/

export interface MailSender {
  fromAddress: string
  fromName: string
  /** Present when the provider tells what became of emails. */
  receipts?: { waitMs: number }
}

/** @param earlier the email with other values that this one corrects */
export async function composeEmail(
  submission: Submission, form: Form, sender: MailSender, template: () => Promise<EmailTemplate>,
  earlier?: Pick<Sent, 'at'>, files?: MailFiles,
): Promise<Email> {
  const entries = Object.entries(submission.data ?? {})
  const filledIn = { ...submission, data: Object.fromEntries(entries.map(([key, value]) => [key, value ?? ''])) }
  const keyed = keyedFields(submission)
  const subject = emailSubject(keyed, form.name, earlier !== undefined, subjectOf(submission, form))
  const content: EmailContent = {
    subject, heading: form.name ? `Form submission: ${form.name}` : 'Form submission',
    fields: readFields(filledIn, form, (value, { type }) => ({ tree: type ? undefined : treeOf(value) })),
    files: mailedFields(submission, form, files),
    received: `Received ${inUtc(onDate(submission.receivedAt))}`,
    decided: plain(decisionLine(submission)),
    submissionId: submission.id,
    correction: earlier
      ? `This corrects the email that was sent on ${inUtc(onDate(earlier.at))}: somebody edited the submission since.`
      : '',
    attachment: `submission-${submission.id}.json`,
  }
  const { html, text, isWhole } = (await template())(content)
  const whole = {
    filename: content.attachment, contentType: 'application/json', content: JSON.stringify(submission.data),
  }
  const attachments = [...isWhole ? [] : [whole], ...attachedFiles(submission, files)]
  return {
    from: senderOf(sender),
    to: form.to,
    replyTo: addressOf(submission, keyed),
    subject, html, text,
    // A program wrote this: vacation notices do not answer it (RFC 3834).
    headers: { 'Auto-Submitted': 'auto-generated' },
    ...sender.receipts ? { submission: submission.id } : {},
    ...attachments.length > 0 ? { attachments } : {},
  }
}

/** Keys tell what a field is, labels may be in any language. A list or an object is no subject, and nobody's name. */
function keyedFields(submission: Submission): readonly Field[] {
  const plain = Object.entries(submission.data ?? {}).filter(
    ([, value]) => typeof value === 'string' || typeof value === 'number',
  )
  return readFields({ ...submission, data: Object.fromEntries(plain) }, { labels: {} })
}

const NAME = /^((full|your|first)[\s_-]?)?name$/i

function named(fields: readonly Field[], pattern: RegExp): Field | undefined {
  return fields.find(({ label, value }) => pattern.test(label.trim()) && oneLine(value) && !NOTHING.test(value.trim()))
}

/** Name and address of whoever filled in the form, as far as its fields say. */
export function submitterOf(submission: Submission): string[] {
  const fields = keyedFields(submission)
  return [named(fields, NAME)?.value, addressOf(submission, fields)].filter(found => found !== undefined)
}

/** Where answers to whoever filled in the form go; undefined when it has no address. */
export function submitterAddress(submission: Submission): string | undefined {
  return addressOf(submission, keyedFields(submission))
}

function addressOf({ envelope }: Submission, fields: readonly Field[]): string | undefined {
  return envelope?.replyTo ?? replyAddress(fields)
}

/**
 * What the form is about, in its own words; one line, so that no header can be injected.
 *
 * @param said what its template or page says that it is about, instead of its fields
 */
export function emailSubject(fields: readonly Field[], form?: string, isCorrection = false, said?: string): string {
  const topic = named(fields, /^(subject|topic|title|reason)$/i)
  const sender = named(fields, NAME) ?? named(fields, /^e?-?mail([\s_-]?address)?$/i)
  const about = said ?? topic?.value ?? (sender && `Form submission from ${oneLine(sender.value)}`) ?? 'Form submission'
  return cut(oneLine(`${isCorrection ? 'Corrected: ' : ''}${form ? `[${form}] ` : ''}${about}`), MAX_SUBJECT)
}

/** As the header `From` has it. */
export function senderOf({ fromName, fromAddress }: MailSender): string {
  return `${quotedName(fromName)} <${fromAddress}>`
}

/** RFC 5322 quoted-string, so that a comma or angle bracket in the name stays part of the name. */
function quotedName(name: string): string {
  return /^[\w '-]+$/.test(name) ? name : `"${oneLine(name).replace(/["\\]/g, '\\$&')}"`
}

/** The address of whoever filled in the form: a field named like one first, then any value that is exactly one. */
export function replyAddress(fields: readonly Field[]): string | undefined {
  const found = fields.flatMap(({ label, value }) => {
    const address = addressIn(value)
    return address ? [{ label, address }] : []
  })
  return (found.find(({ label }) => /mail|reply/i.test(label)) ?? found[0])?.address
}

/** What stands in a list or an object, in reading order; undefined for a value that holds nothing. */
export function treeOf(value: unknown): readonly Branch[] | undefined {
  const branches: Branch[] = []
  grow(value, 0, branches)
  return branches.length > 0 ? branches : undefined
}

/** One more than an email holds is enough to know that there are more. */
function grow(value: unknown, depth: number, into: Branch[]): void {
  if (!isBranched(value)) return
  for (const [key, child] of Object.entries(value)) {
    if (into.length > MOST_BRANCHES) return
    const name = Array.isArray(value) ? `${Number(key) + 1}.` : `${visible(key.toWellFormed()) || '(no name)'}:`
    into.push({ depth, name, value: isBranched(child) ? '' : leafText(child) })
    grow(child, depth + 1, into)
  }
}

function isBranched(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !isNumber(value) && Object.keys(value).length > 0
}

function leafText(value: unknown): string {
  const isEmpty = value === '' || (typeof value === 'object' && value !== null && !isNumber(value))
  return isEmpty ? '—' : visible(fieldText(value))
}

import { english, type Texts } from '../../../shared/texts'
import { dateTime, plainText } from '../../../shared/utils/line'
import { cut, oneLine, visible } from '../../../shared/utils/text'
import {
  MOST_BRANCHES, type Branch, type Email, type EmailContent, type EmailTemplate, FILE_LOST, MOST_ATTACHED,
  type Attachment, type MailSender,
} from '../../ports/delivery'
import type { FileAddresses, StoredFile } from '../../ports/files'
import type { Form } from '../../ports/form'
import type { Field, Submission, SubmissionData } from '../../ports/submission'
import { isNumber, orderedObject } from '../json'
import { decisionLine } from '../cards/decision-line'
import { subjectOf } from '../intake/envelope'
import { unwrapped, type AnswerContent } from '../fields/answers'
import { readFields } from '../fields/fields'
import { isBranch } from '../fields/paths'
import { readingOf } from '../fields/reading'
import { isFilledIn, findSender } from '../fields/sender'
import { displayText, MOST_LINES } from '../fields/values'
import { fileFields } from '../files/file-texts'
import type { FormFiles } from '../context'

/** RFC 5322 advises lines of 78 characters; mail clients cut longer subjects anyway. */
const MAX_SUBJECT = 120

interface EmailOptions {
  /** Earlier email with other values, which this email corrects */
  correctedEmail?: { at: number }
  /** Key that differs from all earlier emails of the submission; absent for the first email */
  repetition?: string
  files?: FormFiles
  texts?: Texts
}

export async function composeEmail(
  submission: Submission, form: Form, sender: MailSender, template: () => Promise<EmailTemplate>,
  { correctedEmail, repetition, files, texts = english }: EmailOptions = {},
): Promise<Omit<Email, 'to'>> {
  const subject = emailSubject(submission, form, correctedEmail !== undefined, texts)
  const content: EmailContent = {
    subject, texts,
    heading: form.name ? texts('email.headingOfForm', { form: form.name }) : texts('email.heading'),
    fields: readFields(submission, form, texts, (answer, { type }) => ({
      ...answer.value === null && { value: '' },
      tree: type || isShortList(answer.value) ? undefined : treeOf(answer, texts),
    })),
    files: mailedFields(submission, form, files, texts),
    received: plainText(texts('email.received', { at: dateTime(submission.receivedAt) })),
    decided: plainText(decisionLine(submission, texts)),
    submissionId: submission.id,
    correction: correctedEmail ? plainText(texts('email.correction', { at: dateTime(correctedEmail.at) })) : '',
    attachment: `submission-${submission.id}.json`,
  }
  const { html, text, isWhole } = (await template())(content)
  const dataFile = {
    filename: content.attachment, contentType: 'application/json', content: JSON.stringify(submission.data),
  }
  const attachments = [...isWhole ? [] : [dataFile], ...attachedFiles(submission, files)]
  return {
    from: fromHeader(sender),
    replyTo: findSender(submission, form).address,
    subject, html, text,
    headers: {
      // Stops vacation notices (RFC 3834).
      'Auto-Submitted': 'auto-generated',
      ...threadHeaders(submission, sender, repetition),
    },
    ...sender.receipts ? { submission: submission.id } : {},
    ...attachments.length > 0 ? { attachments } : {},
  }
}

/**
 * Returns the subject of the email: the one that the form's template or page sets, otherwise the value of a field, or a
 * text that names the sender. One line, so that nobody can inject a header.
 */
export function emailSubject(submission: Submission, form: Form, isCorrection = false, texts = english): string {
  const { name, address } = findSender(submission, form)
  const sender = name ?? address
  const subject = subjectOf(submission, form) ?? topicOf(submission)
    ?? (sender === undefined ? texts('email.heading') : texts('email.subjectFrom', { name: oneLine(sender) }))
  const subjectWithForm = form.name ? `[${form.name}] ${subject}` : subject
  return cut(
    oneLine(isCorrection ? texts('email.corrected', { subject: subjectWithForm }) : subjectWithForm), MAX_SUBJECT,
  )
}

/** Titles of people: many forms have a field `title` for them */
const PERSON_TITLE = /^(?:m[rsx]|mrs|miss|sir|madam|dr|prof|professor|doctor|herr|frau|mme|mlle|sra?)\.?$/i

/** Value of the first field with a name like `subject`; skips lists, objects and titles of people. */
function topicOf({ data }: Submission): string | undefined {
  return readingOf(data).answers.flatMap(answer => (
    /^(?:subject|topic|title|reason)$/i.test(answer.label.trim()) && !isBranch(answer.value) && answer.value !== null
      ? [visible(displayText(answer, {}))]
      : []
  )).find(text => isFilledIn(text) && !PERSON_TITLE.test(text.trim()))
}

/**
 * Headers that make mail clients show one thread per submission. Gmail merges emails with the same subject unless
 * `X-Entity-Ref-ID` differs (https://resend.com/docs/dashboard/emails/custom-headers). Resend sends through Amazon SES,
 * which replaces our Message-ID but keeps the references (https://github.com/resend/resend-node/issues/133). So every
 * email of a submission, even the first one, has the first Message-ID as its reference.
 */
function threadHeaders({ id }: Submission, { fromAddress }: MailSender, repetition?: string): Record<string, string> {
  const domain = fromAddress.slice(fromAddress.lastIndexOf('@') + 1)
  const firstId = `<${id}@${domain}>`
  return {
    'X-Entity-Ref-ID': id,
    'Message-ID': repetition === undefined ? firstId : `<${repetition}@${domain}>`,
    ...repetition !== undefined && { 'In-Reply-To': firstId },
    'References': firstId,
  }
}

/** Value of the `From` header. */
export function fromHeader({ fromName, fromAddress }: MailSender): string {
  return `${quotedName(fromName)} <${fromAddress}>`
}

/** Quotes a name (RFC 5322 quoted-string), so that a comma or angle bracket stays part of it. */
function quotedName(name: string): string {
  return /^[\w '-]+$/.test(name) ? name : `"${oneLine(name).replace(/["\\]/g, '\\$&')}"`
}

/** True for a short, flat list, which is shown with one item per line. */
function isShortList(value: unknown): boolean {
  return Array.isArray(value) && value.length <= MOST_LINES && !value.some(isBranched)
}

/** Returns the items of a list or an object, in reading order; undefined if it is empty or another value. */
export function treeOf(answer: AnswerContent, texts = english): readonly Branch[] | undefined {
  const branches: Branch[] = []
  addBranches(answer, 0, branches, texts)
  return branches.length > 0 ? branches : undefined
}

/** Stops after one item too many for an email: that shows that not all fit. */
function addBranches({ value, choices }: AnswerContent, depth: number, branches: Branch[], texts: Texts): void {
  if (!isBranched(value)) return
  for (const [key, sent] of Object.entries(value) as [string, unknown][]) {
    if (branches.length > MOST_BRANCHES) return
    const name = Array.isArray(value)
      ? `${Number(key) + 1}.`
      : `${visible(key.toWellFormed()) || texts('email.noName')}:`
    // The same as on cards: the text of a chosen option, the values of JSON in a text, and a file by its type and size.
    const child = { value: unwrapped(sent).value, choices }
    branches.push({ depth, name, value: isBranched(child.value) ? '' : leafText(child, texts) })
    addBranches(child, depth + 1, branches, texts)
  }
}

function isBranched(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !isNumber(value) && Object.keys(value).length > 0
}

function leafText(answer: AnswerContent, texts: Texts): string {
  const { value } = answer
  const isEmpty = value === '' || (typeof value === 'object' && value !== null && !isNumber(value))
  return isEmpty ? '—' : visible(displayText(answer, {}, texts))
}

/**
 * Returns the submission to mail. A lost file makes the first email fail, until it is given up and reviewers see the
 * reason. After the next forward the email is sent without that file.
 */
export async function mailed(
  submission: Submission, files?: FormFiles,
): Promise<Submission> {
  const isFileLossKnown = submission.history.some(entry => (
    entry.event === 'failed' && entry.again === null && entry.reason === FILE_LOST
  ))
  return isFileLossKnown && files ? files.withLost(submission) : submission
}

/** Returns the files to attach to an email: in their order, as many as fit. */
export function attachedFiles({ id, envelope }: Submission, files?: FormFiles): Attachment[] {
  const { files: storedFiles = [] } = envelope ?? {}
  const fittingFiles = fittingOf(storedFiles)
  return storedFiles.flatMap((file, index) => !files || !fittingFiles.includes(file)
    ? []
    : [{
        filename: file.name, contentType: file.type,
        content: { size: file.size, read: () => files.read(id, index, file) },
      }])
}

/** Returns the lines about files for an email: attached, lost, too large, or a link. */
export function mailedFields(
  submission: Submission, form: Pick<Form, 'labels'>, files?: FormFiles, texts = english,
): Field[] {
  const { id, envelope, expiresAt } = submission
  const { files: storedFiles = [] } = envelope ?? {}
  const fittingFiles = fittingOf(storedFiles)
  return fileFields(submission, form, texts).map((field, index) => {
    const url = files?.url(id, index)
    const storedFile = storedFiles[index]!
    const file = field.value
    if (storedFile.lost) return { ...field, value: texts('email.lost', { file }) }
    if (fittingFiles.includes(storedFile)) return { ...field, value: texts('email.attached', { file }) }
    return { ...field, value: url
      ? plainText(texts('email.linked', { file, at: dateTime(expiresAt), url }))
      : texts('email.tooLarge', { file }) }
  })
}

/** Adds the description of each file to its field for the endpoint, next to other values of that field. */
export function withFiles({ id, data, envelope }: Submission, files?: FileAddresses): SubmissionData | null {
  const { files: storedFiles = [] } = envelope ?? {}
  if (!data || storedFiles.length === 0) return data
  const describedFiles = storedFiles.map(({ field, ...file }, index) => (
    [field, { ...file, url: files?.url(id, index) ?? null }] as const
  ))
  const fields = [...new Set(describedFiles.map(([field]) => field))].map((field): [string, unknown] => [field, [
    ...Object.hasOwn(data, field) ? [data[field]].flat() : [],
    ...describedFiles.filter(([fieldKey]) => fieldKey === field).map(([, file]) => file),
  ]])
  return orderedObject([...Object.entries(data), ...fields])
}

/** Returns the files that fit into one email. */
export function fittingOf(files: readonly StoredFile[]): StoredFile[] {
  let leftBytes = MOST_ATTACHED
  return files.filter(({ size, lost }) => {
    const isFitting = size <= leftBytes && !lost
    if (isFitting) leftBytes -= size
    return isFitting
  })
}

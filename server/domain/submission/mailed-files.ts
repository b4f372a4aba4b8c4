import { inUtc, onDate } from '../../../shared/utils/line'
import { FILE_LOST, MOST_ATTACHED, type Attachment } from '../../ports/delivery'
import type { StoredFile } from '../../ports/files'
import type { Form } from '../../ports/form'
import type { Field, Submission } from '../../ports/submission'
import { fileFields } from './file-texts'
import type { SubmissionFiles } from './submission-files'

export type MailFiles = Pick<SubmissionFiles, 'read' | 'url'>

/**
 * The submission as it is mailed. A lost file holds the email up, until it is given up: who forwards it once more was
 * told, and the email goes without that file.
 */
export async function mailed(
  submission: Submission, files?: Pick<SubmissionFiles, 'withLost'>,
): Promise<Submission> {
  const isTold = submission.history.some(entry => (
    entry.event === 'failed' && entry.again === null && entry.reason === FILE_LOST
  ))
  return isTold && files ? files.withLost(submission) : submission
}

/** The files that an email has, in their order, until it is full. */
export function attachedFiles({ id, envelope }: Submission, files?: MailFiles): Attachment[] {
  const { files: all = [] } = envelope ?? {}
  const fitting = fittingOf(all)
  return all.flatMap((file, index) => !files || !fitting.includes(file)
    ? []
    : [{
        filename: file.name, contentType: file.type,
        content: { size: file.size, read: () => files.read(id, index, file) },
      }])
}

/** Whether somebody gets a link to a file, which has to work after the submission is delivered. */
export function isLinked({ id, envelope }: Submission, form: Pick<Form, 'endpoint'>, files?: MailFiles): boolean {
  const { files: all = [] } = envelope ?? {}
  const isAsked = all.length > 0 && (form.endpoint !== null || fittingOf(all).length < all.length)
  return isAsked && typeof files?.url(id, 0) === 'string'
}

/** What an email says of its files: that they are attached, or where they are. */
export function mailedFields(submission: Submission, form: Pick<Form, 'labels'>, files?: MailFiles): Field[] {
  const { id, envelope, expiresAt } = submission
  const { files: all = [] } = envelope ?? {}
  const fitting = fittingOf(all)
  return fileFields(submission, form).map((field, index) => {
    const url = files?.url(id, index)
    const far = url ? `until ${inUtc(onDate(expiresAt))} at ${url}` : 'too large to be attached'
    const { lost } = all[index]!
    const where = lost ? 'which its storage has lost' : fitting.includes(all[index]!) ? 'attached' : far
    return { ...field, value: `${field.value}, ${where}` }
  })
}

/** What the endpoint is told of files, in the fields in which they came, beside what else these hold. */
export function withFiles({ id, data, envelope }: Submission, files?: MailFiles): unknown {
  const { files: all = [] } = envelope ?? {}
  if (!data || all.length === 0) return data
  const described = all.map(({ field, ...file }, index) => (
    [field, { ...file, url: files?.url(id, index) ?? null }] as const
  ))
  const fields = [...new Set(described.map(([field]) => field))].map(field => [field, [
    ...Object.hasOwn(data, field) ? [data[field]].flat() : [],
    ...described.filter(([of]) => of === field).map(([, file]) => file),
  ]])
  return Object.fromEntries([...Object.entries(data), ...fields])
}

function fittingOf(files: readonly StoredFile[]): StoredFile[] {
  let left = MOST_ATTACHED
  return files.filter(({ size, lost }) => {
    const fits = size <= left && !lost
    if (fits) left -= size
    return fits
  })
}

import type { RichText } from '../../../shared/types/line'
import { dateTime, rich } from '../../../shared/utils/line'
import { cut } from '../../../shared/utils/text'
import type { SpeechItem } from '../../ports/conversation'
import type { Submission, SubmissionRecord } from '../../ports/submission'
import { readFields } from '../fields/fields'
import { holderNotes } from '../cards/card-view'
import { submissionUrl } from '../cards/submission-url'
import type { Presentation } from '../context'

/** Max fields in a preview, and max characters of each field. */
const PREVIEW_FIELDS = 3
const PREVIEW_LENGTH = 80

/** Builds a list item for a submission: time of arrival, first fields, and assignee. */
export function previewOf(submission: Submission, presentation: Presentation): SpeechItem {
  const fields = readFields(submission, presentation.forms.of(submission.form)).slice(0, PREVIEW_FIELDS)
  const lines = fields.map(({ label, value }) => `${shorten(label)}: ${shorten(value)}`)
  const receivedLine = rich`Received ${dateTime(submission.receivedAt)}`
  return itemOf(submission, presentation, [receivedLine, ...lines.length > 0 ? lines : ['The form was empty.']])
}

/** Builds the same item without form data, for messages that remain after the data is erased. */
export function mentionOf(submission: SubmissionRecord, presentation: Presentation): SpeechItem {
  const { name } = presentation.forms.of(submission.form)
  const at = dateTime(submission.receivedAt)
  return itemOf(submission, presentation, [name ? rich`${name}, received ${at}` : rich`Received ${at}`])
}

function itemOf(submission: SubmissionRecord, presentation: Presentation, lines: readonly RichText[]): SpeechItem {
  const notes = holderNotes(submission, presentation.forms.of(submission.form))
  const url = submissionUrl(submission.id, presentation)
  // The first 8 characters distinguish ids; `show` accepts them.
  const id = submission.id.slice(0, 8)
  return {
    label: id,
    value: joinLines([...lines, ...notes]),
    ...url === null ? {} : { link: { label: `Open ${id}`, url } },
  }
}

function joinLines(lines: readonly RichText[]): RichText {
  return lines.reduce((text, line) => rich`${text}\n${line}`)
}

export function shorten(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return cut(line, PREVIEW_LENGTH)
}

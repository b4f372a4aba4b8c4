import type { RichText } from '../../../shared/types/line'
import { dateTime, rich } from '../../../shared/utils/line'
import { visible } from '../../../shared/utils/text'
import type { SubmissionRecord } from '../../ports/submission'

/** Returns decision and reviewer; shown on cards, in modals that were submitted too late, and in the email. */
export function decisionLine(submission: SubmissionRecord): RichText {
  const { decision } = submission
  if (!decision) return ''
  const decisionText = decision.action === 'spam'
    ? 'Marked as spam'
    : decision.edited ?? submission.edited.length > 0 ? 'Edited and forwarded' : 'Forwarded'
  return rich`${decisionText} by ${visible(decision.reviewer.name)} on ${decision.reviewer.platform}, ${dateTime(decision.at)}`
}

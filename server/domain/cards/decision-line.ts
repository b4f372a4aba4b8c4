import type { RichText } from '../../../shared/types/line'
import { english } from '../../../shared/texts'
import { dateTime } from '../../../shared/utils/line'
import { visible } from '../../../shared/utils/text'
import type { SubmissionRecord } from '../../ports/submission'

/** Returns the decision and the reviewer, for cards, emails, and modals that were submitted too late. */
export function decisionLine(submission: SubmissionRecord, texts = english): RichText {
  const { decision } = submission
  if (!decision) return ''
  const { action, reviewer: { name, platform }, at } = decision
  const isEdited = decision.edited ?? submission.edited.length > 0
  const key = action === 'spam' ? 'card.decided.spam' : isEdited ? 'card.decided.edited' : 'card.decided.forwarded'
  return texts(key, { name: visible(name), platform, at: dateTime(at) })
}

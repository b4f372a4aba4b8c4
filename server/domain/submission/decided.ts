import type { Line } from '../../../shared/types/line'
import { said } from '../../../shared/utils/line'
import { visible } from '../../../shared/utils/text'
import type { HistoryEntry, Submission } from '../../ports/submission'
import { onDate } from './times'

/** Who decided what; shown on cards, in modals that came too late, and in the email. */
export function decisionLine(submission: Submission): Line {
  const { decision } = submission
  if (!decision) return ''
  const verb = decision.action === 'spam'
    ? 'Marked as spam'
    : decision.edited ?? submission.edited.length > 0 ? 'Edited and forwarded' : 'Forwarded'
  return said`${verb} by ${visible(decision.reviewer.name)} on ${decision.reviewer.platform}, ${onDate(decision.at)}`
}

/** Who erased it, and when. */
export function erasureLine({ reviewer, at }: NonNullable<Submission['erased']>): Line {
  return said`Erased by ${visible(reviewer.name)} on ${reviewer.platform}, ${onDate(at)}`
}

type Revoked = HistoryEntry & { event: 'revoked' }

/** Who took the last decision back, on a card that waits for another one. */
export function revokedNotes({ history }: Submission): Line[] {
  const last = history.findLast(({ event }) => event === 'claimed' || event === 'revoked')
  return last?.event === 'revoked' ? [said`${revokedText(last)}, ${onDate(last.at)}`] : []
}

export function revokedText({ action, reviewer: { name, platform } }: Revoked): string {
  return `${action === 'spam' ? 'Not spam, says' : 'Taken back by'} ${visible(name)} on ${platform}`
}

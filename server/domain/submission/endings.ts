import type { Line } from '../../../shared/types/line'
import {
  INTERIM_OUTCOMES, type AuditLine, type DecisionOutcome, type HistoryEntry, type Reviewer, type Submission,
  type SubmissionRecord,
} from '../../ports/submission'
import { onDate, said } from '../../../shared/utils/line'
import { visible } from '../../../shared/utils/text'

const ENDINGS: Record<DecisionOutcome, string> = {
  forwarded: 'Forwarded', edited: 'Edited and forwarded', spam: 'Marked as spam',
  expired: 'Expired: nobody decided in 7 days', failed: 'Failed', revoked: 'Taken back', released: 'Released',
  erased: 'Erased',
}

/** What became of it, `Forwarded by Ada on Slack, 21 Nov 2026, 12:03 UTC.`; empty while it waits. */
export function endLine(submission: SubmissionRecord): Line {
  const { state, erased, expiresAt } = submission
  if (erased) return said`${erasureLine(erased)}.`
  if (state === 'expired') return outcomeLine('expired', { reviewer: null, at: expiresAt })
  const decided = decisionLine(submission)
  return decided && said`${decided}.`
}

/** Why a decision cannot be taken back, or not any more. */
export function irrevocable(submission: Submission | null): Line {
  if (submission?.state === 'open') return 'It waits for a decision already.'
  if (submission?.state === 'settling') return 'Too late: it is being sent.'
  const last = submission?.sent?.map(({ at }) => at).sort().at(-1)
  const isForward = submission?.decision?.action === 'forward'
  if (isForward && last !== undefined) return said`Too late: it was sent on ${onDate(last)}.`
  const ended = submission && endLine(submission)
  return ended ? said`Too late: its data is erased. ${ended}` : 'This submission is not kept any more.'
}

/** How submissions ended last, the latest first. What was taken back or failed since has not ended. */
export function endedOf(lines: readonly AuditLine[]): AuditLine[] {
  const last = new Map(lines.toReversed().map(line => [line.id, line]))
  return [...last.values()].filter(({ outcome }) => !INTERIM_OUTCOMES.includes(outcome)).sort(
    (a, b) => b.at - a.at || (a.id < b.id ? 1 : -1),
  )
}

/** How submissions were decided, or that nobody did, whether they were erased since or not. */
export function decidedOf(lines: readonly AuditLine[]): AuditLine[] {
  return endedOf(lines.filter(({ outcome }) => outcome !== 'erased'))
}

/** `Forwarded by Ada on Slack, 21 Nov 2026, 12:03 UTC.`, of the audit trail. */
export function outcomeLine(outcome: DecisionOutcome, { reviewer, at }: Pick<AuditLine, 'reviewer' | 'at'>): Line {
  return said`${ENDINGS[outcome]}${reviewer ? by(reviewer) : ''}, ${onDate(at)}.`
}

function by({ name, platform }: Reviewer): string {
  return ` by ${visible(name)} on ${platform}`
}

/** Who decided what; shown on cards, in modals that came too late, and in the email. */
export function decisionLine(submission: SubmissionRecord): Line {
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

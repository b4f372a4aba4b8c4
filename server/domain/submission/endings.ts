import type { Line } from '../../../shared/types/line'
import type { SubmissionStore } from '../../ports/store'
import {
  INTERIM_OUTCOMES, type AuditLine, type DecisionOutcome, type Reviewer, type Submission,
} from '../../ports/submission'
import { said } from '../../../shared/utils/line'
import { visible } from '../../../shared/utils/text'
import { SubmissionGone } from '../errors'
import { reached } from './overview'
import { decisionLine, erasureLine } from './decided'
import { onDate } from './times'

/** How far back the audit trail is searched for what happened to one submission. */
const RECENT_ENDINGS = 1000

const ENDINGS: Record<DecisionOutcome, string> = {
  forwarded: 'Forwarded', edited: 'Edited and forwarded', spam: 'Marked as spam',
  expired: 'Expired: nobody decided in 7 days', failed: 'Failed', revoked: 'Taken back', released: 'Released',
  erased: 'Erased',
}

/** What became of it, `Forwarded by Ada on Slack, 21 Nov 2026, 12:03 UTC.`; empty while it waits. */
export function endLine(submission: Submission): Line {
  const { state, erased, expiresAt } = submission
  if (erased) return said`${erasureLine(erased)}.`
  if (state === 'expired') return line('expired', { reviewer: null, at: expiresAt })
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

/** The error that says what became of a submission of which there is no trace any more. @throws StoreUnavailable */
export async function ending(
  id: string, store: Pick<SubmissionStore, 'audit'>, known: (message: Line) => Error,
): Promise<Error> {
  const lines = await reached(store.audit(RECENT_ENDINGS))
  const last = lines.find(each => each.id === id && !INTERIM_OUTCOMES.includes(each.outcome))
  return last ? known(line(last.outcome, last)) : new SubmissionGone()
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

function line(outcome: DecisionOutcome, { reviewer, at }: Pick<AuditLine, 'reviewer' | 'at'>): Line {
  return said`${ENDINGS[outcome]}${reviewer ? by(reviewer) : ''}, ${onDate(at)}.`
}

function by({ name, platform }: Reviewer): string {
  return ` by ${visible(name)} on ${platform}`
}

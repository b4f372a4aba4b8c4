import { beginning } from '../../../shared/utils/text'
import type { HistoryEntry, Reviewer, Submission, SubmissionRecord } from '../../ports/submission'
import { isRevocable, outstanding, withoutContent } from './record'

/** Cards that one submission may have, those on request included: each follows what becomes of it. */
export const MOST_CARDS = 20

const LONGEST_NAME = 80

const LONGEST_PRESS = 64

/** Events of a press, with the events that undo them; releases and erasures stay. */
const UNDONE_BY: Partial<Record<HistoryEntry['event'], readonly HistoryEntry['event'][]>> = {
  claimed: ['revoked', 'reopened', 'erased'], revoked: ['claimed', 'erased'], released: [], erased: [],
}

/** Whether it ended and nothing is done about it or waited for any more: then only its trace stays. */
export function isOver(submission: SubmissionRecord): boolean {
  const { state, keptUntil, collapse } = submission
  const isAwaited = isRevocable(submission) || keptUntil !== undefined || (collapse !== undefined && !collapse.begun)
  const hasEnded = state === 'settled' || state === 'expired' || state === 'erased'
  return hasEnded && !isAwaited && outstanding(submission).length === 0
}

/** What stays of a submission that is over: who decided what, where its cards are, and what was sent. Bounded. */
export function traceOf(submission: Submission): Submission {
  const { decision, erased } = submission
  return {
    ...submission,
    data: null, envelope: undefined, before: undefined, reminded: true, edited: [],
    cards: submission.cards.slice(-MOST_CARDS), work: [], failures: [], history: [],
    keptUntil: undefined, revocableUntil: undefined,
    pressed: lastPress(submission)?.slice(0, LONGEST_PRESS), sent: withoutContent(submission),
    decision: decision && { ...decision, reviewer: bounded(decision.reviewer) },
    ...erased && { erased: { ...erased, reviewer: bounded(erased.reviewer) } },
  }
}

/** Tells whether this press came before, whatever it did. A trace knows the last decision only. */
export function isPressed({ history, pressed }: Submission, press: string): boolean {
  return pressed === press || history.some(entry => 'press' in entry && entry.press === press)
}

/** Outcome of the decision that this press made; null where it made none. */
export function outcomeOf({ history, pressed }: Submission, press: string): 'stands' | 'undone' | null {
  const at = history.findLastIndex(entry => isDecision(entry) && entry.press === press)
  if (at < 0) return pressed === press ? 'stands' : null
  const undoing = UNDONE_BY[history[at]!.event]
  return history.slice(at + 1).some(({ event }) => undoing?.includes(event)) ? 'undone' : 'stands'
}

/** The press of the last decision, unless that was undone. */
function lastPress(submission: Submission): string | undefined {
  const last = submission.history.findLast(isDecision)?.press
  return last !== undefined && outcomeOf(submission, last) === 'stands' ? last : submission.pressed
}

function isDecision(entry: HistoryEntry): entry is HistoryEntry & { press: string } {
  return entry.event in UNDONE_BY && 'press' in entry && entry.press !== undefined
}

function bounded(reviewer: Reviewer): Reviewer {
  return { ...reviewer, name: beginning(reviewer.name, LONGEST_NAME).toWellFormed() }
}

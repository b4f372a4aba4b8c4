import { beginning } from '../../../shared/utils/text'
import type { Reviewer, Submission } from '../../ports/submission'
import { isRevocable, outstanding, withoutContent } from './record'

/** Cards that one submission may have, those on request included: each follows what becomes of it. */
export const MOST_CARDS = 20

const LONGEST_NAME = 80

const LONGEST_PRESS = 64

/** Whether it ended and nothing is done about it or waited for any more: then only its trace stays. */
export function isOver(submission: Submission): boolean {
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

/** Whether somebody did this, and sends it again because the answer was lost. Of what is over, the last is known. */
export function isPressed({ history, pressed }: Submission, press: string): boolean {
  return pressed === press || history.some(entry => 'press' in entry && entry.press === press)
}

function lastPress({ history, pressed }: Submission): string | undefined {
  return history.reduce((last, entry) => 'press' in entry && entry.press ? entry.press : last, pressed)
}

function bounded(reviewer: Reviewer): Reviewer {
  return { ...reviewer, name: beginning(reviewer.name, LONGEST_NAME).toWellFormed() }
}

import type { Submission } from '../../ports/submission'
import type { EventOf, Transition } from './events'
import { changed, outstanding, replaced, vendorOf } from './record'
import type { Clock } from './settle'

/** Cards that their platforms refused are posted again. */
export function postAgain(current: Submission, { leasedUntil }: Clock): Transition {
  const refused = outstanding(current).filter(({ refused }) => refused)
  if (refused.length === 0) return { refused: 'not-due' }
  const added = refused.map(work => ({ ...work, refused: undefined, dueAt: leasedUntil }))
  const rest = current.work.filter(({ refused }) => !refused)
  return { next: changed(current, { work: [...rest, ...added] }), added }
}

/**
 * Work that failed for this vendor is due now. Left alone: work that is due within a lease, because somebody may be
 * doing it; what the vendor's pace holds up; and cards that are refused for what they say.
 */
export function pull(current: Submission, { vendor }: EventOf<'pulled'>, { now, leasedUntil }: Clock): Transition {
  const early = outstanding(current).filter(work => (
    vendorOf(work) === vendor && work.attempts > 0 && work.dueAt > leasedUntil && !work.limited && !work.refused
  ))
  if (early.length === 0) return { refused: 'not-due' }
  // An attempt before its time does not count.
  const pulled = early.map(work => ({ ...work, attempts: Math.max(work.attempts - 1, 1), dueAt: now }))
  return { next: changed(current, { work: replaced(current.work, pulled) }), added: [] }
}

import type { Submission } from '../../ports/submission'
import type { EventOf, Transition } from './events'
import { changed, isDelivery, outstanding, replaced, vendorOf, withEntry, withGivenUp } from './record'
import { settle, settleChanged, type Clock } from './settle'

/** For so long after the end cards are made to say so, ms; one that refuses until then keeps what it shows. */
const FOLLOW_MS = 7 * 24 * 60 * 60 * 1000

/** A piece of work failed: it is tried again, or given up. */
export function failed(current: Submission, event: EventOf<'failed'>, clock: Clock): Transition {
  const work = current.work.find(({ key }) => key === event.key)
  if (!work) return { refused: 'unknown-work' }
  const { reason, refused, gone, limited } = event
  const isTooLate = work.kind === 'update' && event.retryAt !== null && event.retryAt > followedUntil(current)
  const retryAt = isTooLate ? null : event.retryAt
  const rest = current.work.filter(item => item !== work)
  const room = event.room ?? work.room ?? work.card?.platform
  const again = {
    ...work, attempts: work.attempts + 1, reason, refused, limited, hasTurn: undefined,
    missed: gone ? (work.missed ?? 0) + 1 : undefined,
  }
  const isGivenUp = work.kind === 'update' && retryAt === null
  const next = changed(current, {
    history: withEntry(current, {
      at: clock.now, event: 'failed', kind: work.kind, ...room ? { room } : {}, reason, again: retryAt,
    }),
    work: retryAt === null ? rest : [...rest, { ...again, dueAt: retryAt }],
    cards: isGivenUp ? withGivenUp(current.cards, work.card!, true) : current.cards,
  })
  if (!isDelivery(work.kind)) return settle(next, [], clock)
  const failures = [...current.failures, { delivery: work.kind, reason }]
  return settleChanged(retryAt === null ? { ...next, failures } : next, clock)
}

function followedUntil({ state, decision, erased, collapse, expiresAt }: Submission): number {
  return state === 'open' ? Number.POSITIVE_INFINITY : ((erased ?? collapse ?? decision)?.at ?? expiresAt) + FOLLOW_MS
}

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

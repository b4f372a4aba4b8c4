import type { Submission } from '../../ports/submission'
import type { EventOf, Transition } from './events'
import { changed, isDelivery, withEntry, withGivenUp } from './record'
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

import type { Submission, Work } from '../../ports/submission'
import type { EventOf, Transition } from './events'
import { changed, updates, withEntry, withoutContent } from './record'
import { settle, type Clock } from './settle'

/** Somebody has the form data erased, wherever it is in its life: cards follow, and the endpoint is told. */
export function erase(current: Submission, { reviewer, press, told }: EventOf<'erased'>, clock: Clock): Transition {
  const { now, leasedUntil } = clock
  if (current.state === 'erased') return { refused: 'decided' }
  const look = current.version + 1
  const cards = updates(current.cards, look, leasedUntil)
  const erasure: Work[] = told ? [{ key: `erasure#${look}`, kind: 'erasure', attempts: 0, dueAt: leasedUntil }] : []
  const next = changed(current, {
    look, state: 'erased', data: null, erased: { reviewer, at: now }, revocableUntil: undefined, collapse: undefined,
    failures: [], work: [...cards, ...erasure],
    sent: withoutContent(current),
    history: withEntry(current, { at: now, event: 'erased', reviewer, ...press && { press } }),
  })
  // What the endpoint may be getting right now has got there by the end of its lease.
  const isGetting = current.work.some(({ kind, dueAt }) => kind === 'endpoint' && now < dueAt && dueAt <= leasedUntil)
  return settle(next, isGetting ? cards : next.work, clock)
}

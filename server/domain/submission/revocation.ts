import type { Failure, Submission, Work } from '../../ports/submission'
import type { EventOf, Transition } from './events'
import { changed, followed, isDelivery, isRevocable, updates, withEntry, withoutContent } from './record'
import { reopened, settle, settleChanged, type Clock } from './settle'
import { isReturned } from './verdicts'

/** Takes a decision back, while that is possible: it is open again, with what was edited. */
export function revoke(
  current: Submission, { action, reviewer, press }: EventOf<'revoked'>, clock: Clock,
): Transition {
  const { decision, revocableUntil, data, history } = current
  const { now } = clock
  if (decision?.action !== action || !isRevocable(current) || !data) return { refused: 'irrevocable' }
  // A forward can be taken back until something of it is on its way, however late that is.
  if (action === 'spam' && now >= revocableUntil!) return { refused: 'irrevocable' }
  if (press && history.some(entry => 'press' in entry && entry.press === press)) return { refused: 'irrevocable' }
  const { next, added } = followed(changed(current, {
    work: current.work.filter(({ kind }) => !isDelivery(kind)),
    history: withEntry(current, { at: now, event: 'revoked', action, reviewer, ...press ? { press } : {} }),
  }), clock)
  return reopened(next, added, clock)
}

/** What failed while it could be taken back: an email that came back. What failed before was kept for who does that. */
export function returned({ failures, history, work }: Submission): readonly Failure[] {
  const round = history.slice(history.findLastIndex(({ event }) => event === 'claimed'))
  const isBack = round.some(entry => entry.event === 'receipt' && isReturned(entry.receipt))
  return failures.filter(({ delivery }) => delivery === 'email' && isBack && !work.some(({ kind }) => kind === 'email'))
}

/** The time is over in which spam could be taken back, or in which a receipt was waited for. */
export function forget(current: Submission, clock: Clock): Transition {
  const { state, revocableUntil = Infinity, keptUntil = Infinity } = current
  if (state !== 'settled') return { refused: 'not-due' }
  if (clock.now >= keptUntil) return settle(changed(current, { keptUntil: undefined }), [], clock)
  if (clock.now < revocableUntil) return { refused: 'not-due' }
  return settleChanged(changed(current, {
    data: null, revocableUntil: undefined, failures: [], sent: withoutContent(current),
  }), clock)
}

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

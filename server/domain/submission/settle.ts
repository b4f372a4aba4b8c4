import type { Submission, Work } from '../../ports/submission'
import type { Done, Transition } from './events'
import { changed, followed, isDelivery, replaced, withEntry } from './record'
import { isKept } from './store-rules'
import { isOver, traceOf } from './trace'

export interface Clock {
  /** The present, epoch ms. */
  now: number
  /** Until when work that is added now is its maker's, epoch ms. */
  leasedUntil: number
  /** How long after a decision cards go on to show the form, ms; null for always. */
  cardDataMs: number | null
}

/** As `settle`, when what the cards show has changed. */
export function settleChanged(changed: Submission, clock: Clock): Transition {
  const { next, added } = followed(changed, clock)
  return settle(next, added, clock)
}

/** What follows when a piece of work has left the list. */
export function settle(next: Submission, added: readonly Work[], clock: Clock): Transition {
  if (next.state === 'open') return { next, added }
  if (next.state === 'settling') {
    if (next.work.some(({ kind }) => isDelivery(kind))) return { next, added }
    const isSettled = next.failures.length === 0 || next.decision?.action === 'spam'
    if (isSettled) {
      const confirm = confirmations(next, clock)
      return settle({ ...next, state: 'settled', work: [...next.work, ...confirm] }, [...added, ...confirm], clock)
    }
    return reopened({ ...next, history: withEntry(next, { at: clock.now, event: 'reopened' }) }, added, clock)
  }
  const kept = isKept(next, clock.now) ? next : { ...next, keptUntil: undefined }
  const { state, decision, cards } = kept
  // Whatever became of its data: its cards show the form until they are made not to.
  const isShown = state === 'settled' && decision?.action === 'forward' && cards.length > 0 && !kept.collapse
  // Whoever sent it is told without its data.
  const left = kept.work.filter(({ kind }) => kind === 'confirm')
  const isDone = isOver({ ...kept, work: kept.work.filter(work => !left.includes(work)) })
  const collapse = isShown && clock.cardDataMs !== null ? { at: decision.at + clock.cardDataMs } : kept.collapse
  const isBare = left.length === 0 || kept.data === null
  if (!isDone || (isBare && collapse === kept.collapse)) return { next: kept, added }
  return { next: { ...traceOf(kept), work: left, collapse }, added }
}

/** Whoever sent it is told when all of it was passed on. */
function confirmations({ confirmation, version }: Submission, { leasedUntil }: Clock): Work[] {
  return confirmation?.to === undefined
    ? []
    : [{ key: `confirm#${version}`, kind: 'confirm', attempts: 0, dueAt: leasedUntil }]
}

/** Whoever sent it was told, or is not, and why. */
export function confirmed(
  current: Submission, work: Work, { skipped }: Pick<Done, 'skipped'>, clock: Clock,
): Transition {
  const { now: at } = clock
  return settle(changed(current, {
    work: current.work.filter(item => item !== work),
    confirmation: skipped === undefined ? { at } : undefined,
    history: withEntry(current, skipped === undefined
      ? { at, event: 'confirmed' }
      : { at, event: 'failed', kind: 'confirm', reason: skipped, again: null }),
  }), [], clock)
}

/** The time of what its cards show of the form is over. */
export function collapse(current: Submission, clock: Clock): Transition {
  const { collapse } = current
  if (!collapse || collapse.begun || clock.now < collapse.at) return { refused: 'not-due' }
  return settleChanged(changed(current, { collapse: { ...collapse, begun: true } }), clock)
}

/** It waits for a decision again. */
export function reopened(next: Submission, added: readonly Work[], { now, leasedUntil }: Clock): Transition {
  // Cards that were never posted are wanted again: at once, but for one that may be in flight.
  const due = next.work.filter(({ kind, dueAt }) => kind === 'post' && dueAt <= now)
  const posts = due.map(work => ({ ...work, dueAt: leasedUntil }))
  const open: Submission = {
    ...next, state: 'open', decision: null, revocableUntil: undefined, keptUntil: undefined, collapse: undefined,
    // What came back was not passed on.
    work: replaced(next.work, posts).filter(({ kind }) => kind !== 'confirm'),
  }
  return { next: open, added: [...added, ...posts] }
}

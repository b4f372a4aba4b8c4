import type { Decision, Delivery, Sent, Submission, SubmissionData, Work } from '../../ports/submission'
import type { LifecycleEvent, Transition } from './events'
import {
  changed, contentOf, followed, isDelivery, outstanding, replaced, sameCard, updates, withCard, withEntry,
} from './record'
import { REMINDER_LEAD_MS, SUBMISSION_TTL_MS } from './store-rules'

/** How often a card that waits in a queue is looked after, in case the queue forgot it, ms. */
export const QUEUE_CHECK_MS = 60 * 1000

/** For so long after the end cards are made to say so, ms; one that refuses until then keeps what it shows. */
const FOLLOW_MS = 7 * 24 * 60 * 60 * 1000

/** The present, and the time until which work that is added now is its maker's; epoch ms. */
interface Clock {
  now: number
  leasedUntil: number
}

type EventOf<Type extends LifecycleEvent['type']> = LifecycleEvent & { type: Type }

/**
 * The whole life of a submission, as a pure function. Work that a transition adds is due one lease from now:
 * whoever makes the transition does the work at once, and if it dies, somebody else finds it due.
 *
 * @param now epoch ms
 * @param leaseMs how long the maker has before others may take the work
 */
export function transition(
  current: Submission | null, event: LifecycleEvent, now: number, leaseMs: number,
): Transition {
  const clock = { now, leasedUntil: now + leaseMs }
  if (event.type === 'received') return receive(event, clock)
  if (!current) return { refused: 'gone' }
  const step = apply(current, event, clock)
  // Names of fields are form data too, and go with it.
  if ('refused' in step || step.next.data || step.next.edited.length === 0) return step
  return { ...step, next: { ...step.next, edited: [] } }
}

function apply(current: Submission, event: Exclude<LifecycleEvent, EventOf<'received'>>, clock: Clock): Transition {
  switch (event.type) {
    case 'released': return release(current, event, clock)
    case 'deleted': return remove(current, event, clock)
    case 'claimed': return claim(current, event, clock)
    case 'leased': return lease(current, event, clock)
    case 'done': return done(current, event, clock)
    case 'failed': return failed(current, event, clock)
    case 'post-again': return postAgain(current, clock)
    case 'put-off': return putOff(current, event)
    case 'expiring': return remind(current, clock)
    case 'expired': return expire(current, clock)
  }
}

function receive(event: EventOf<'received'>, { now, leasedUntil }: Clock): Transition {
  const work = event.rooms.map(room => post(room, event.queued?.includes(room) ? now + QUEUE_CHECK_MS : leasedUntil))
  const next: Submission = {
    id: event.id, ...event.form ? { form: event.form } : {}, version: 1, state: event.held ? 'held' : 'open',
    receivedAt: now, expiresAt: now + SUBMISSION_TTL_MS,
    data: event.data, reminded: false, edited: [], cards: [], decision: null, work, delivered: [], failures: [],
    history: [{ at: now, event: 'received' }, ...event.held ? [{ at: now, event: 'held' as const }] : []],
  }
  return { next, added: work, finished: false }
}

function release(current: Submission, event: EventOf<'released'>, { now, leasedUntil }: Clock): Transition {
  if (current.state !== 'held') return { refused: 'not-held' }
  if (now >= current.expiresAt || !current.data) return { refused: 'expired' }
  const work = event.rooms.map(room => post(room, leasedUntil))
  const history = withEntry(current, { at: now, event: 'released', reviewer: event.reviewer })
  return { next: changed(current, { state: 'open', work, history }), added: work, finished: false }
}

function remove(current: Submission, { reviewer }: EventOf<'deleted'>, { now }: Clock): Transition {
  if (current.state !== 'held') return { refused: 'not-held' }
  const history = withEntry(current, { at: now, event: 'deleted', reviewer })
  return { next: changed(current, { state: 'expired', data: null, history }), added: [], finished: true }
}

function claim(current: Submission, event: EventOf<'claimed'>, clock: Clock): Transition {
  const { action, reviewer, edit, press } = event
  const { now, leasedUntil } = clock
  if (current.state === 'held') return { refused: 'held' }
  if (current.state !== 'open') return { refused: 'decided' }
  if (now >= current.expiresAt || !current.data) return { refused: 'expired' }
  const isRepeated = current.history.some(entry => entry.event === 'claimed' && entry.press === press)
  if (press && isRepeated) return { refused: 'decided' }
  const isSpam = action === 'spam'
  const data = edit?.data ?? current.data
  const edited = [...new Set([...current.edited, ...edit?.edited ?? []])]
  const decision: Decision = { action, reviewer, at: now, edited: edited.length > 0 }
  const cards = event.card ? withCard(current.cards, event.card) : current.cards
  const version = current.version + 1
  const delivered = isSpam ? current.delivered : upToDate(current, data, (edit?.edited ?? []).length > 0)
  const outstanding = isSpam ? [] : event.deliveries.filter(delivery => !delivered.includes(delivery))
  const work: Work[] = [
    ...updates(cards, version, leasedUntil),
    ...outstanding.map(kind => ({ key: `${kind}#${version}`, kind, attempts: 0, dueAt: leasedUntil })),
    // Nobody needs a card for something decided. But it may be opened again, and one may be in flight right now.
    ...current.work.filter(({ kind }) => kind === 'post'),
  ]
  const next = changed(current, {
    look: version, state: 'settling', decision, cards, work, delivered, edited, failures: [],
    data: isSpam ? null : data,
    ...isSpam ? { sent: withoutContent(current) } : {},
    history: withEntry(current, {
      at: now, event: 'claimed', action, edited: edit !== undefined, reviewer, ...press ? { press } : {},
    }),
  })
  return settle(next, work.filter(({ kind }) => kind !== 'post'), clock)
}

/** The deliveries that got these very values last. What was sent before that was kept counts until somebody edits. */
function upToDate({ delivered, sent = [] }: Submission, data: SubmissionData, isEdited: boolean): Delivery[] {
  const content = delivered.length + sent.length > 0 ? contentOf(data) : ''
  return (['email', 'endpoint'] as const).filter((delivery) => {
    const last = sent.find(each => each.delivery === delivery)
    return last ? last.content === content : delivered.includes(delivery) && !isEdited
  })
}

function withoutContent({ sent = [] }: Submission): readonly Sent[] {
  return sent.map(each => ({ ...each, content: '' }))
}

function lease(current: Submission, { keys }: EventOf<'leased'>, { now, leasedUntil }: Clock): Transition {
  const due = outstanding(current).filter(work => keys.includes(work.key) && work.dueAt <= now)
  if (due.length === 0) return { refused: 'not-due' }
  const added = due.map(work => ({ ...work, refused: undefined, dueAt: leasedUntil }))
  return { next: changed(current, { work: replaced(current.work, added) }), added, finished: false }
}

function done(current: Submission, event: EventOf<'done'>, clock: Clock): Transition {
  const { now, leasedUntil } = clock
  const finished = current.work.find(work => work.key === event.key)
  const { card, sent, version } = event
  const isNewCard = card !== undefined && !current.cards.some(known => sameCard(known, card))
  // A card that was posted before the decision still shows the buttons, and an edit may have been overtaken.
  const isOvertaken = version === undefined ? isNewCard && current.state !== 'open' : version < (current.look ?? 0)
  const isBehind = card !== undefined && isOvertaken
  if (!finished && !isNewCard && !isBehind) return { refused: 'unknown-work' }
  const delivery = isDelivery(finished?.kind) ? finished.kind : null
  const others = (current.sent ?? []).filter(each => each.delivery !== delivery)
  const next = changed(current, {
    cards: card ? withCard(current.cards, card) : current.cards,
    work: current.work.filter(work => work !== finished),
    ...delivery ? { delivered: [...current.delivered, delivery] } : {},
    ...delivery && sent ? { sent: [...others, { delivery, at: now, ...sent }] } : {},
    history: delivery
      ? withEntry(current, { at: now, event: 'delivered', delivery })
      : isNewCard ? withEntry(current, { at: now, event: 'posted', platform: card.platform }) : current.history,
  })
  if (delivery) return settleChanged(next, clock)
  const isFollowed = card && next.work.some(work => work.kind === 'update' && sameCard(work.card!, card))
  const again = isBehind && !isFollowed ? updates([card], next.version, leasedUntil) : []
  return settle({ ...next, work: [...next.work, ...again] }, again, clock)
}

function failed(current: Submission, event: EventOf<'failed'>, clock: Clock): Transition {
  const work = current.work.find(({ key }) => key === event.key)
  if (!work) return { refused: 'unknown-work' }
  const { reason, refused } = event
  const isTooLate = work.kind === 'update' && event.retryAt !== null && event.retryAt > followedUntil(current)
  const retryAt = isTooLate ? null : event.retryAt
  const rest = current.work.filter(item => item !== work)
  const room = work.room ?? work.card?.platform
  const again = { ...work, attempts: work.attempts + 1, reason, refused: refused ? true as const : undefined }
  const next = changed(current, {
    history: withEntry(current, {
      at: clock.now, event: 'failed', kind: work.kind, ...room ? { room } : {}, reason, again: retryAt,
    }),
    work: retryAt === null ? rest : [...rest, { ...again, dueAt: retryAt }],
  })
  if (!isDelivery(work.kind)) return settle(next, [], clock)
  const failures = [...current.failures, { delivery: work.kind, reason }]
  return settleChanged(retryAt === null ? { ...next, failures } : next, clock)
}

function followedUntil({ state, decision, expiresAt }: Submission): number {
  return state === 'open' ? Number.POSITIVE_INFINITY : (decision?.at ?? expiresAt) + FOLLOW_MS
}

function postAgain(current: Submission, { leasedUntil }: Clock): Transition {
  const refused = outstanding(current).filter(({ refused }) => refused)
  if (refused.length === 0) return { refused: 'not-due' }
  const added = refused.map(work => ({ ...work, refused: undefined, dueAt: leasedUntil }))
  const rest = current.work.filter(({ refused }) => !refused)
  return { next: changed(current, { work: [...rest, ...added] }), added, finished: false }
}

function putOff(current: Submission, { key, until }: EventOf<'put-off'>): Transition {
  const work = current.work.find(work => work.key === key)
  if (!work) return { refused: 'unknown-work' }
  const next = changed(current, { work: replaced(current.work, [{ ...work, dueAt: until }]) })
  return { next, added: [], finished: false }
}

function remind(current: Submission, { now, leasedUntil }: Clock): Transition {
  const isDue = current.state === 'open' && !current.reminded && now >= current.expiresAt - REMINDER_LEAD_MS
  if (!isDue) return { refused: 'not-due' }
  const added = current.cards.map((card): Work => {
    return { key: `remind:${card.platform}:${card.messageId}`, kind: 'remind', card, attempts: 0, dueAt: leasedUntil }
  })
  const history = withEntry(current, { at: now, event: 'reminded' })
  const work = [...current.work, ...added]
  return { next: changed(current, { reminded: true, history, work }), added, finished: false }
}

function expire(current: Submission, clock: Clock): Transition {
  const isDue = (current.state === 'open' || current.state === 'held') && clock.now >= current.expiresAt
  if (!isDue) return { refused: 'not-due' }
  const look = current.version + 1
  const work = updates(current.cards, look, clock.leasedUntil)
  const history = withEntry(current, { at: clock.now, event: 'expired' })
  return settle(changed(current, {
    look, state: 'expired', data: null, sent: withoutContent(current), history, work,
  }), work, clock)
}

/** As `settle`, when what the cards show has changed. */
function settleChanged(changed: Submission, clock: Clock): Transition {
  const { next, added } = followed(changed, clock.now, clock.leasedUntil)
  return settle(next, added, clock)
}

/** What follows when a piece of work has left the list. */
function settle(next: Submission, added: readonly Work[], { now, leasedUntil }: Clock): Transition {
  const isIdle = outstanding(next).length === 0
  if (next.state !== 'settling') return { next, added, finished: next.state !== 'open' && isIdle }
  if (next.work.some(({ kind }) => isDelivery(kind))) return { next, added, finished: false }
  if (next.failures.length === 0) return { next: { ...next, state: 'settled' }, added, finished: isIdle }
  // Cards that were never posted are wanted again: at once, but for one that may be in flight.
  const due = next.work.filter(({ kind, dueAt }) => kind === 'post' && dueAt <= now)
  const posts = due.map(work => ({ ...work, dueAt: leasedUntil }))
  const history = withEntry(next, { at: now, event: 'reopened' })
  const open: Submission = { ...next, state: 'open', decision: null, work: replaced(next.work, posts), history }
  return { next: open, added: [...added, ...posts], finished: false }
}

function post(room: string, dueAt: number): Work {
  return { key: `post:${room}`, kind: 'post', room, attempts: 0, dueAt }
}

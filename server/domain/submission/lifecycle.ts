import type { StoreRules } from '../../ports/store'
import type { Decision, Delivery, Failure, Sent, Submission, SubmissionData, Work } from '../../ports/submission'
import { parseJson } from '../json'
import { contentOf, withEntry, followed, isDelivery, outstanding, sameCard, updates, withCard } from './record'
import type { LifecycleEvent, Transition } from './events'

/** A stored submission lives 7 days (specification, "Limits"). */
export const SUBMISSION_TTL_MS = 7 * 24 * 60 * 60 * 1000

/** The room is reminded of an undecided submission this long before it expires. */
export const REMINDER_LEAD_MS = 24 * 60 * 60 * 1000

/** How often a card that waits in a queue is looked after, in case the queue forgot it, ms. */
export const QUEUE_CHECK_MS = 60 * 1000

/** Longest that a decided submission may outlive its 7 days while its deliveries are still being tried. */
export const SETTLING_GRACE_MS = 60 * 60 * 1000

/** For so long after the end cards are made to say so, ms; one that refuses until then keeps what it shows. */
const FOLLOW_MS = 7 * 24 * 60 * 60 * 1000

/** When anybody has to look at this submission again, epoch ms. */
export function nextAttention(submission: Submission): number {
  const due = outstanding(submission).map(work => work.dueAt)
  if (submission.state === 'held') due.push(submission.expiresAt)
  if (submission.state === 'open') due.push(submission.reminded ? submission.expiresAt : submission.expiresAt - REMINDER_LEAD_MS)
  return Math.min(...due)
}

/** Whether it waits for a person, because a delivery or a card was refused or given up. */
export function needsPerson({ state, failures, work }: Submission): boolean {
  return state === 'open' && (failures.length > 0 || work.some(({ refused }) => refused))
}

/** Until when the form data may be kept, epoch ms. */
export function dataLivesUntil(submission: Submission): number {
  return submission.decision ? Math.max(submission.expiresAt, submission.decision.at + SETTLING_GRACE_MS) : submission.expiresAt
}

export const storeRules: StoreRules = { nextAttention, dataLivesUntil, needsPerson, parse: parseJson }

/**
 * The whole life of a submission, as a pure function. Work that a transition adds is due one lease from now:
 * whoever makes the transition does the work at once, and if it dies, somebody else finds it due.
 *
 * @param now epoch ms
 * @param leaseMs how long the maker has before others may take the work
 */
export function transition(current: Submission | null, event: LifecycleEvent, now: number, leaseMs: number): Transition {
  if (event.type === 'received') return receive(event, now, leaseMs)
  if (!current) return { refused: 'gone' }
  const step = apply(current, event, now, leaseMs)
  // Names of fields are form data too, and go with it.
  if ('refused' in step || step.next.data || step.next.edited.length === 0) return step
  return { ...step, next: { ...step.next, edited: [] } }
}

function apply(current: Submission, event: Exclude<LifecycleEvent, { type: 'received' }>, now: number, leaseMs: number): Transition {
  switch (event.type) {
    case 'released': return release(current, event, now, leaseMs)
    case 'deleted': return remove(current, event, now)
    case 'claimed': return claim(current, event, now, leaseMs)
    case 'leased': return lease(current, event.keys, now, leaseMs)
    case 'done': return done(current, event, now, leaseMs)
    case 'failed': return failed(current, event, now, leaseMs)
    case 'post-again': return postAgain(current, now, leaseMs)
    case 'put-off': return putOff(current, event)
    case 'expiring': return remind(current, now, leaseMs)
    case 'expired': return expire(current, now, leaseMs)
  }
}

function receive(event: LifecycleEvent & { type: 'received' }, now: number, leaseMs: number): Transition {
  const work = event.rooms.map(room => post(room, now + (event.queued?.includes(room) ? QUEUE_CHECK_MS : leaseMs)))
  const next: Submission = {
    id: event.id, ...event.form ? { form: event.form } : {}, version: 1, state: event.held ? 'held' : 'open', receivedAt: now, expiresAt: now + SUBMISSION_TTL_MS,
    data: event.data, reminded: false, edited: [], cards: [], decision: null, work, delivered: [], failures: [],
    history: [{ at: now, event: 'received' }, ...event.held ? [{ at: now, event: 'held' as const }] : []],
  }
  return { next, added: work, finished: false }
}

function release(current: Submission, { reviewer, rooms }: LifecycleEvent & { type: 'released' }, now: number, leaseMs: number): Transition {
  if (current.state !== 'held') return { refused: 'not-held' }
  if (now >= current.expiresAt || !current.data) return { refused: 'expired' }
  const work = rooms.map(room => post(room, now + leaseMs))
  const history = withEntry(current, { at: now, event: 'released', reviewer })
  return { next: { ...current, version: current.version + 1, state: 'open', work, history }, added: work, finished: false }
}

function remove(current: Submission, { reviewer }: LifecycleEvent & { type: 'deleted' }, now: number): Transition {
  if (current.state !== 'held') return { refused: 'not-held' }
  return { next: { ...current, version: current.version + 1, state: 'expired', data: null, history: withEntry(current, { at: now, event: 'deleted', reviewer }) }, added: [], finished: true }
}

function claim(current: Submission, event: LifecycleEvent & { type: 'claimed' }, now: number, leaseMs: number): Transition {
  if (current.state === 'held') return { refused: 'held' }
  if (current.state !== 'open') return { refused: 'decided' }
  if (now >= current.expiresAt || !current.data) return { refused: 'expired' }
  if (event.press && current.history.some(entry => entry.event === 'claimed' && entry.press === event.press)) return { refused: 'decided' }
  const isSpam = event.action === 'spam'
  const data = event.edit?.data ?? current.data
  const edited = [...new Set([...current.edited, ...event.edit?.edited ?? []])]
  const decision: Decision = { action: event.action, reviewer: event.reviewer, at: now, edited: edited.length > 0 }
  const cards = event.card ? withCard(current.cards, event.card) : current.cards
  const version = current.version + 1
  const delivered = isSpam ? current.delivered : upToDate(current, data, (event.edit?.edited ?? []).length > 0)
  const outstanding = isSpam ? [] : event.deliveries.filter(delivery => !delivered.includes(delivery))
  const work: Work[] = [
    ...updates(cards, version, now + leaseMs),
    ...outstanding.map(kind => ({ key: `${kind}#${version}`, kind, attempts: 0, dueAt: now + leaseMs })),
    // Nobody needs a card for something decided. But it may be opened again, and one may be in flight right now.
    ...current.work.filter(({ kind }) => kind === 'post'),
  ]
  const next: Submission = {
    ...current, version, look: version, state: 'settling', decision, cards, work, delivered, edited, failures: [],
    data: isSpam ? null : data,
    ...isSpam ? { sent: withoutContent(current) } : {},
    history: withEntry(current, { at: now, event: 'claimed', action: event.action, edited: event.edit !== undefined, reviewer: event.reviewer, ...event.press ? { press: event.press } : {} }),
  }
  return settle(next, work.filter(({ kind }) => kind !== 'post'), now, leaseMs)
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

function lease(current: Submission, keys: readonly string[], now: number, leaseMs: number): Transition {
  const taken = outstanding(current).filter(work => keys.includes(work.key) && work.dueAt <= now).map(work => ({ ...work, refused: undefined, dueAt: now + leaseMs }))
  if (taken.length === 0) return { refused: 'not-due' }
  const work = current.work.map(item => taken.find(({ key }) => key === item.key) ?? item)
  return { next: { ...current, version: current.version + 1, work }, added: taken, finished: false }
}

function done(current: Submission, event: LifecycleEvent & { type: 'done' }, now: number, leaseMs: number): Transition {
  const finished = current.work.find(work => work.key === event.key)
  const { card, sent } = event
  const isNewCard = card !== undefined && !current.cards.some(known => sameCard(known, card))
  // A card that was posted before the decision still shows the buttons, and an edit may have been overtaken.
  const isBehind = card !== undefined && (event.version === undefined ? isNewCard && current.state !== 'open' : event.version < (current.look ?? 0))
  if (!finished && !isNewCard && !isBehind) return { refused: 'unknown-work' }
  const delivery = isDelivery(finished?.kind) ? finished.kind : null
  const next: Submission = {
    ...current, version: current.version + 1,
    cards: card ? withCard(current.cards, card) : current.cards,
    work: current.work.filter(work => work !== finished),
    ...delivery ? { delivered: [...current.delivered, delivery] } : {},
    ...delivery && sent ? { sent: [...(current.sent ?? []).filter(each => each.delivery !== delivery), { delivery, at: now, ...sent }] } : {},
    history: delivery
      ? withEntry(current, { at: now, event: 'delivered', delivery })
      : isNewCard ? withEntry(current, { at: now, event: 'posted', platform: card.platform }) : current.history,
  }
  if (delivery) return settleChanged(next, now, leaseMs)
  const again = isBehind && !next.work.some(work => work.kind === 'update' && sameCard(work.card!, card)) ? updates([card], next.version, now + leaseMs) : []
  return settle({ ...next, work: [...next.work, ...again] }, again, now, leaseMs)
}

function failed(current: Submission, event: LifecycleEvent & { type: 'failed' }, now: number, leaseMs: number): Transition {
  const work = current.work.find(({ key }) => key === event.key)
  if (!work) return { refused: 'unknown-work' }
  const retryAt = work.kind === 'update' && event.retryAt !== null && event.retryAt > followedUntil(current) ? null : event.retryAt
  const rest = current.work.filter(item => item !== work)
  const room = work.room ?? work.card?.platform
  const next: Submission = {
    ...current, version: current.version + 1,
    history: withEntry(current, { at: now, event: 'failed', kind: work.kind, ...room ? { room } : {}, reason: event.reason, again: retryAt }),
    work: retryAt === null ? rest : [...rest, { ...work, attempts: work.attempts + 1, reason: event.reason, dueAt: retryAt, refused: event.refused ? true : undefined }],
  }
  if (!isDelivery(work.kind)) return settle(next, [], now, leaseMs)
  const failure: Failure = { delivery: work.kind, reason: event.reason }
  return settleChanged(retryAt === null ? { ...next, failures: [...current.failures, failure] } : next, now, leaseMs)
}

function followedUntil({ state, decision, expiresAt }: Submission): number {
  return state === 'open' ? Number.POSITIVE_INFINITY : (decision?.at ?? expiresAt) + FOLLOW_MS
}

function postAgain(current: Submission, now: number, leaseMs: number): Transition {
  const added = outstanding(current).filter(({ refused }) => refused).map(work => ({ ...work, refused: undefined, dueAt: now + leaseMs }))
  if (added.length === 0) return { refused: 'not-due' }
  return { next: { ...current, version: current.version + 1, work: [...current.work.filter(({ refused }) => !refused), ...added] }, added, finished: false }
}

function putOff(current: Submission, { key, until }: LifecycleEvent & { type: 'put-off' }): Transition {
  if (!current.work.some(work => work.key === key)) return { refused: 'unknown-work' }
  const work = current.work.map(item => item.key === key ? { ...item, dueAt: until } : item)
  return { next: { ...current, version: current.version + 1, work }, added: [], finished: false }
}

function remind(current: Submission, now: number, leaseMs: number): Transition {
  if (current.state !== 'open' || current.reminded || now < current.expiresAt - REMINDER_LEAD_MS) return { refused: 'not-due' }
  const version = current.version + 1
  const reminders: Work[] = current.cards.map(card => ({ key: `remind:${card.platform}:${card.messageId}`, kind: 'remind', card, attempts: 0, dueAt: now + leaseMs }))
  const history = withEntry(current, { at: now, event: 'reminded' })
  return { next: { ...current, version, reminded: true, history, work: [...current.work, ...reminders] }, added: reminders, finished: false }
}

function expire(current: Submission, now: number, leaseMs: number): Transition {
  if ((current.state !== 'open' && current.state !== 'held') || now < current.expiresAt) return { refused: 'not-due' }
  const version = current.version + 1
  const work = updates(current.cards, version, now + leaseMs)
  const history = withEntry(current, { at: now, event: 'expired' })
  return settle({ ...current, version, look: version, state: 'expired', data: null, sent: withoutContent(current), history, work }, work, now, leaseMs)
}

/** As `settle`, when what the cards show has changed. */
function settleChanged(changed: Submission, now: number, leaseMs: number): Transition {
  const { next, added } = followed(changed, now, leaseMs)
  return settle(next, added, now, leaseMs)
}

/** What follows when a piece of work has left the list. */
function settle(next: Submission, added: readonly Work[], now: number, leaseMs: number): Transition {
  if (next.state !== 'settling') return { next, added, finished: next.state !== 'open' && outstanding(next).length === 0 }
  if (next.work.some(({ kind }) => isDelivery(kind))) return { next, added, finished: false }
  if (next.failures.length === 0) return { next: { ...next, state: 'settled' }, added, finished: outstanding(next).length === 0 }
  // Cards that were never posted are wanted again: at once, but for one that may be in flight.
  const posts = next.work.filter(({ kind, dueAt }) => kind === 'post' && dueAt <= now).map(work => ({ ...work, dueAt: now + leaseMs }))
  const work = next.work.map(item => posts.find(({ key }) => key === item.key) ?? item)
  return { next: { ...next, state: 'open', decision: null, work, history: withEntry(next, { at: now, event: 'reopened' }) }, added: [...added, ...posts], finished: false }
}

function post(room: string, dueAt: number): Work {
  return { key: `post:${room}`, kind: 'post', room, attempts: 0, dueAt }
}

import type { StoreRules } from '../../ports/store'
import type { Action, CardRef, Decision, Delivery, Failure, HistoryEntry, Reviewer, Submission, SubmissionData, Work } from '../../ports/submission'
import { parseJson } from '../json'

/** A stored submission lives 7 days (specification, "Limits"). */
export const SUBMISSION_TTL_MS = 7 * 24 * 60 * 60 * 1000

/** The room is reminded of an undecided submission this long before it expires. */
export const REMINDER_LEAD_MS = 24 * 60 * 60 * 1000

/** How often a card that waits in its platform's line is looked after, in case the line forgot it. */
export const LINE_CHECK_MS = 60 * 1000

/** Longest that a decided submission may outlive its 7 days while its deliveries are still being tried. */
export const SETTLING_GRACE_MS = 60 * 60 * 1000

/** Longest history that is kept: a few rounds of every delivery with all its attempts. */
const HISTORY_ENTRIES = 60

export type LifecycleEvent
  /**
   * `paced`: rooms whose cards wait in a line, which hands them out; their due date is only a safety net.
   * `held`: it fell into the honeypot, and no room is told.
   */
  = | { type: 'received', id: string, form?: string, data: SubmissionData, rooms: readonly string[], paced?: readonly string[], held?: boolean }
    /** What was held is a form after all, or is not. */
    | { type: 'released', reviewer: Reviewer, rooms: readonly string[] }
    | { type: 'deleted', reviewer: Reviewer }
    | { type: 'claimed', action: Action, reviewer: Reviewer, deliveries: readonly Delivery[], edit?: Edit, card?: CardRef }
    | { type: 'leased', keys: readonly string[] }
    | { type: 'done', key: string, card?: CardRef }
    /** `refused`: a card, for what it says. */
    | { type: 'failed', key: string, reason: string, retryAt: number | null, refused?: boolean }
    /** Cards that the platform refused are tried again. */
    | { type: 'post-again' }
    /** Not tried yet, it only has to wait: no attempt is counted. */
    | { type: 'put-off', key: string, until: number }
    | { type: 'expiring' }
    | { type: 'expired' }

export interface Edit {
  data: SubmissionData
  /** Keys whose value changed. */
  edited: readonly string[]
}

export type Refusal = 'gone' | 'held' | 'not-held' | 'decided' | 'expired' | 'not-due' | 'unknown-work'

/** `finished` means: nothing is outstanding, the record goes. `added` is work that the caller does now. */
export type Transition
  = | { refused: Refusal }
    | { next: Submission, added: readonly Work[], finished: boolean }

/** When anybody has to look at this submission again, epoch ms. */
export function nextAttention(submission: Submission): number {
  const due = submission.work.map(work => work.dueAt)
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
  const work = event.rooms.map(room => post(room, now + (event.paced?.includes(room) ? LINE_CHECK_MS : leaseMs)))
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
  const decision: Decision = { action: event.action, reviewer: event.reviewer, at: now }
  const cards = event.card ? withCard(current.cards, event.card) : current.cards
  const version = current.version + 1
  const outstanding = event.action === 'forward' ? event.deliveries.filter(delivery => !current.delivered.includes(delivery)) : []
  // Posts still outstanding are dropped: nobody needs a card for something decided. One that is in flight
  // right now reports `done` later and is updated then.
  // The cards first: somebody looks at one.
  const work: Work[] = [
    ...updates(cards, version, now + leaseMs),
    ...outstanding.map(kind => ({ key: `${kind}#${version}`, kind, attempts: 0, dueAt: now + leaseMs })),
  ]
  const next: Submission = {
    ...current, version, state: 'settling', decision, cards, work, failures: [],
    data: event.action === 'spam' ? null : event.edit?.data ?? current.data,
    // Names of fields are form data too.
    edited: event.action === 'spam' ? [] : [...new Set([...current.edited, ...event.edit?.edited ?? []])],
    history: withEntry(current, { at: now, event: 'claimed', action: event.action, edited: event.edit !== undefined, reviewer: event.reviewer }),
  }
  return settle(next, work, now, leaseMs)
}

function lease(current: Submission, keys: readonly string[], now: number, leaseMs: number): Transition {
  const taken = current.work.filter(work => keys.includes(work.key) && work.dueAt <= now).map(work => ({ ...work, refused: undefined, dueAt: now + leaseMs }))
  if (taken.length === 0) return { refused: 'not-due' }
  const work = current.work.map(item => taken.find(({ key }) => key === item.key) ?? item)
  return { next: { ...current, version: current.version + 1, work }, added: taken, finished: false }
}

function done(current: Submission, event: LifecycleEvent & { type: 'done' }, now: number, leaseMs: number): Transition {
  const finished = current.work.find(work => work.key === event.key)
  if (!finished && !event.card) return { refused: 'unknown-work' }
  const version = current.version + 1
  const isNewCard = event.card !== undefined && !current.cards.some(card => sameCard(card, event.card!))
  // A card that arrives after the decision still shows the buttons: it has to follow.
  const late = isNewCard && current.state !== 'open' ? updates([event.card!], version, now + leaseMs) : []
  const next: Submission = {
    ...current, version,
    cards: event.card ? withCard(current.cards, event.card) : current.cards,
    delivered: isDelivery(finished?.kind) ? [...current.delivered, finished.kind] : current.delivered,
    history: isDelivery(finished?.kind)
      ? withEntry(current, { at: now, event: 'delivered', delivery: finished.kind })
      : isNewCard ? withEntry(current, { at: now, event: 'posted', platform: event.card!.platform }) : current.history,
    work: [...current.work.filter(work => work !== finished), ...late],
  }
  return settle(next, late, now, leaseMs)
}

function failed(current: Submission, event: LifecycleEvent & { type: 'failed' }, now: number, leaseMs: number): Transition {
  const work = current.work.find(({ key }) => key === event.key)
  if (!work) return { refused: 'unknown-work' }
  const version = current.version + 1
  const rest = current.work.filter(item => item !== work)
  const room = work.room ?? work.card?.platform
  const history = withEntry(current, { at: now, event: 'failed', kind: work.kind, ...room ? { room } : {}, reason: event.reason, again: event.retryAt })
  if (event.retryAt !== null) {
    const again: Work = { ...work, attempts: work.attempts + 1, reason: event.reason, dueAt: event.retryAt, refused: event.refused ? true : undefined }
    return { next: { ...current, version, history, work: [...rest, again] }, added: [], finished: false }
  }
  const failures: readonly Failure[] = isDelivery(work.kind) ? [...current.failures, { delivery: work.kind, reason: event.reason }] : current.failures
  return settle({ ...current, version, history, work: rest, failures }, [], now, leaseMs)
}

function postAgain(current: Submission, now: number, leaseMs: number): Transition {
  const added = current.work.filter(({ refused }) => refused).map(work => ({ ...work, refused: undefined, dueAt: now + leaseMs }))
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
  return settle({ ...current, version, state: 'expired', data: null, edited: [], history, work }, work, now, leaseMs)
}

/** What follows when a piece of work has left the list. */
function settle(next: Submission, added: readonly Work[], now: number, leaseMs: number): Transition {
  if (next.state === 'open') return { next, added, finished: false }
  const delivering = next.work.some(work => isDelivery(work.kind))
  if (next.state === 'settling' && next.failures.length > 0 && !delivering) {
    const work = updates(next.cards, next.version, now + leaseMs)
    return { next: { ...next, state: 'open', decision: null, work, history: withEntry(next, { at: now, event: 'reopened' }) }, added: work, finished: false }
  }
  return { next, added, finished: next.work.length === 0 }
}

/** Bounded, because a submission may be decided and reopened any number of times; the arrival stays. */
function withEntry({ history }: Submission, entry: HistoryEntry): readonly HistoryEntry[] {
  const entries = [...history, entry]
  return entries.length <= HISTORY_ENTRIES ? entries : [entries[0]!, ...entries.slice(1 - HISTORY_ENTRIES)]
}

function post(room: string, dueAt: number): Work {
  return { key: `post:${room}`, kind: 'post', room, attempts: 0, dueAt }
}

function updates(cards: readonly CardRef[], version: number, dueAt: number): Work[] {
  return cards.map(card => ({ key: `update:${card.platform}:${card.messageId}#${version}`, kind: 'update', card, attempts: 0, dueAt }))
}

function withCard(cards: readonly CardRef[], card: CardRef): readonly CardRef[] {
  return cards.some(other => sameCard(other, card)) ? cards : [...cards, card]
}

function sameCard(a: CardRef, b: CardRef): boolean {
  return a.platform === b.platform && a.messageId === b.messageId
}

function isDelivery(kind: Work['kind'] | undefined): kind is Delivery {
  return kind === 'email' || kind === 'endpoint'
}

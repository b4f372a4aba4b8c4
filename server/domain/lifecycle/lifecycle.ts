import { REMINDER_LEAD_MS, SUBMISSION_TTL_MS } from '../../../shared/lifetimes'
import type {
  CardRef, Decision, Delivery, HistoryEntry, Submission, SubmissionData, Work,
} from '../../ports/submission'
import type { EventOf, LifecycleEvent, RefusedReason, Transition } from './events'
import {
  failWork, postAgain, pull, missCard, takeReceipt, erase, forget, returned, revoke, collapse, confirmed, settle,
  settleChanged, type Clock,
} from './settle'
import {
  cardsOf, changed, contentHash, followed, isDelivery, keptUntil, outstanding, replaced, sameCard, updates, withCard,
  attemptOf, withEntry, tidied, withGivenUp, withOriginals, withoutContent, isLost,
} from './record'
import { hold, isAnothers } from './assignment'
import { byOrder } from '../deliveries/registry'

/**
 * Applies one event to a submission; pure. New work is due one lease from now: the caller does it at once. If the
 * caller dies, another process does it when it is due.
 *
 * @param now epoch ms
 * @param leaseMs time in which only the caller may do the new work
 * @param cardDataMs how long after a decision cards still show the form, ms; null for always
 */
export function transition(
  current: Submission | null, event: LifecycleEvent, now: number, leaseMs: number, cardDataMs: number | null = null,
): Transition {
  const clock = { now, leasedUntil: now + leaseMs, cardDataMs }
  if (event.type === 'received') return receive(event, clock)
  if (!current) return { refused: 'gone' }
  const step = apply(current, event, clock)
  return 'refused' in step ? step : { ...step, next: tidied(step.next) }
}

/**
 * Applies several events as one write. Skips events that do not apply; refused if none applies. Same parameters as
 * `transition`.
 */
export function transitions(
  current: Submission, events: readonly LifecycleEvent[], now: number, leaseMs: number, cardDataMs?: number | null,
): Transition {
  let refusal: RefusedReason = 'unknown-work'
  let combinedStep: Exclude<Transition, { refused: RefusedReason }> | undefined
  for (const event of events) {
    // Each step uses the stored version number: keys of work contain it, and must not be used again.
    const step = transition(
      { ...combinedStep?.next ?? current, version: current.version }, event, now, leaseMs, cardDataMs,
    )
    if ('refused' in step) refusal = step.refused
    else combinedStep = { ...step, added: [...combinedStep?.added ?? [], ...step.added] }
  }
  return combinedStep
    ? { ...combinedStep, added: combinedStep.added.filter(work => combinedStep.next.work.includes(work)) }
    : { refused: refusal }
}

function apply(current: Submission, event: Exclude<LifecycleEvent, EventOf<'received'>>, clock: Clock): Transition {
  switch (event.type) {
    case 'released': return release(current, event, clock)
    case 'erased': return erase(current, event, clock)
    case 'claimed': return decide(current, event, clock)
    case 'revoked': return revoke(current, event, clock)
    case 'forgotten': return forget(current, clock)
    case 'collapsing': return collapse(current, clock)
    case 'leased': return lease(current, event, clock)
    case 'done': return finish(current, event, clock)
    case 'failed': return failWork(current, event, clock)
    case 'card-deleted': return missCard(current, event, clock)
    case 'post-again': return postAgain(current, clock)
    case 'pulled': return pull(current, event, clock)
    case 'put-off': return putOff(current, event, clock)
    case 'turn': return takeTurn(current, event, clock)
    case 'expiring': return remind(current, clock)
    case 'expired': return expire(current, clock)
    case 'receipt': return takeReceipt(current, event, clock)
    default: return hold(current, event, clock)
  }
}

function receive(event: EventOf<'received'>, { now, leasedUntil }: Clock): Transition {
  const work = event.rooms.map(room => createPost(room, leasedUntil))
  const next: Submission = {
    id: event.id, ...event.form ? { form: event.form } : {}, version: 1, state: event.held ? 'held' : 'open',
    receivedAt: now, expiresAt: now + SUBMISSION_TTL_MS,
    data: event.data, ...event.envelope && { envelope: event.envelope },
    reminded: false, edited: [], cards: [], decision: null, work, delivered: [], failures: [],
    history: [
      { at: now, event: 'received' },
      ...event.held
        ? [{ at: now, event: 'held' as const, ...event.held === 'human-check' && { failedCheck: true as const } }]
        : [],
    ],
  }
  return { next, added: work }
}

function release(current: Submission, event: EventOf<'released'>, { now, leasedUntil }: Clock): Transition {
  if (current.state !== 'held') return { refused: 'not-held' }
  if (now >= current.expiresAt || !current.data) return { refused: 'expired' }
  const work = event.rooms.map(room => createPost(room, leasedUntil))
  const { reviewer, press } = event
  const history = withEntry(current, { at: now, event: 'released', reviewer, ...press && { press } })
  return { next: changed(current, { state: 'open', work, history }), added: work }
}

function decide(current: Submission, event: EventOf<'claimed'>, clock: Clock): Transition {
  const { action, reviewer, edit, revocableMs = 0 } = event
  const { now, leasedUntil } = clock
  const refused = refuseDecision(current, event, now)
  if (refused || !current.data) return { refused: refused ?? 'expired' }
  const isSpam = action === 'spam'
  const data = edit?.data ?? current.data
  const newlyEdited = edit?.edited ?? []
  const edited = [...new Set([...current.edited, ...newlyEdited])]
  const decision: Decision = {
    action, reviewer, at: now, edited: edited.length > 0, ...event.to && { to: event.to },
    ...event.toOf && { toOf: event.toOf },
  }
  const cards = event.card ? withCard(current.cards, event.card) : current.cards
  const version = current.version + 1
  const delivered = isSpam ? current.delivered : findCurrentDeliveries(current, data, newlyEdited.length > 0)
  const deliveries = isSpam ? [] : event.deliveries.filter(delivery => !delivered.includes(delivery))
  const isRevocable = revocableMs > 0 && (isSpam || deliveries.length > 0)
  const revocableUntil = isSpam ? Math.min(now + revocableMs, current.expiresAt) : now + revocableMs
  const isErased = isSpam && !isRevocable
  const work: Work[] = [
    ...updates(cards, version, leasedUntil),
    ...deliveries.map(kind => ({
      key: `${kind}#${version}`, kind, attempts: 0, dueAt: isRevocable ? revocableUntil : leasedUntil,
    })),
    // Keep unposted cards: the submission may be reopened, and one may be in flight right now.
    ...current.work.filter(({ kind }) => kind === 'post'),
  ]
  const next = changed(current, {
    look: version, state: 'settling', decision, cards, work, delivered, edited,
    // Keep the failures: undo must show them again.
    failures: isRevocable ? current.failures : [],
    data: isErased ? null : data, before: withOriginals(current, newlyEdited),
    revocableUntil: isRevocable ? revocableUntil : undefined,
    ...isErased ? { sent: withoutContent(current) } : {},
    ...event.confirm && !current.confirmation ? { confirmation: { to: event.confirm } } : {},
    history: withEntry(current, claimedEntry(event, now)),
  })
  const isLater = ({ kind }: Work) => kind === 'post' || (isRevocable && isDelivery(kind))
  return settle(next, work.filter(item => !isLater(item)), clock)
}

function claimedEntry({ action, reviewer, edit, press, to }: EventOf<'claimed'>, at: number): HistoryEntry {
  return {
    at, event: 'claimed', action, edited: edit !== undefined, reviewer, ...press ? { press } : {}, ...to && { to },
  }
}

/** Returns the reason to refuse this decision, or null to accept it. */
function refuseDecision(current: Submission, event: EventOf<'claimed'>, now: number): RefusedReason | null {
  const { press, content } = event
  if (current.state === 'held') return 'held'
  if (current.state !== 'open') return 'decided'
  if (now >= current.expiresAt || !current.data) return 'expired'
  if (press && current.history.some(entry => entry.event === 'claimed' && entry.press === press)) return 'decided'
  if (content !== undefined && content !== contentHash(current.data)) return 'changed'
  return isAnothers(current, event, now) ? 'taken' : null
}

/** Deliveries whose latest transmission has exactly these values. If `sent` has no record, counts until an edit. */
function findCurrentDeliveries(
  { delivered, sent = [] }: Submission, data: SubmissionData, isEdited: boolean,
): Delivery[] {
  const content = delivered.length + sent.length > 0 ? contentHash(data) : ''
  const deliveries = new Set([...delivered, ...sent.map(each => each.delivery)])
  return [...deliveries].sort(byOrder(each => each)).filter((delivery) => {
    const lastSent = sent.find(each => each.delivery === delivery)
    return lastSent
      ? lastSent.content === content && !isLost(lastSent) && !lastSent.refused
      : delivered.includes(delivery) && !isEdited
  })
}

function lease(current: Submission, { keys, card }: EventOf<'leased'>, { now, leasedUntil }: Clock): Transition {
  const isBehind = (work: Work) => card && work.kind === 'update' && work.attempts > 0 && sameCard(work.card!, card)
  const dueWork = outstanding(current).filter(work => isBehind(work) || (keys.includes(work.key) && work.dueAt <= now))
  if (dueWork.length === 0) return { refused: 'not-due' }
  // Early attempts are not counted: otherwise clicks during an outage would postpone the next attempt.
  const countAttempts = (work: Work) => work.dueAt <= now ? work.attempts : work.attempts - 1
  const leasedWork = dueWork.map(work => ({
    ...work, attempts: countAttempts(work), refused: undefined, dueAt: leasedUntil, hasTurn: undefined,
    // Somebody clicked this card, so it exists.
    missed: isBehind(work) ? undefined : work.missed,
  }))
  const next = changed(current, { work: replaced(current.work, leasedWork) })
  // Delivery begins now, so the decision can no longer be undone.
  const isSent = current.revocableUntil !== undefined && leasedWork.some(({ kind }) => isDelivery(kind))
  if (!isSent) return { next, added: leasedWork }
  const followedStep = followed({ ...next, revocableUntil: undefined, failures: returned(next) }, { now, leasedUntil })
  const remainingWork = leasedWork.filter(work => followedStep.next.work.includes(work))
  return { next: followedStep.next, added: [...remainingWork, ...followedStep.added] }
}

function finish(current: Submission, event: EventOf<'done'>, clock: Clock): Transition {
  const work = current.work.find(({ key }) => key === event.key)
  if (work?.kind === 'confirm') return confirmed(current, work, event, clock)
  if (isDelivery(work?.kind)) return finishDelivery(current, work.kind, event, work, clock)
  // A delivery in flight at erasure still succeeded.
  const lateDelivery = current.state === 'erased' && event.sent?.delivery
  return lateDelivery
    ? finishDelivery(current, lateDelivery, event, work, clock)
    : finishCard(current, event, work, clock)
}

function finishDelivery(
  current: Submission, delivery: Delivery, event: EventOf<'done'>, work: Work | undefined, clock: Clock,
): Transition {
  const { now } = clock
  const { sent, keepMs } = event
  const isErased = current.state === 'erased' && sent !== undefined
  const otherDeliveries = (current.sent ?? []).filter(each => each.delivery !== delivery)
  const next = changed(current, {
    work: current.work.filter(each => each !== work),
    delivered: [...current.delivered, delivery],
    ...event.card && { cards: withCard(current.cards, event.card) },
    ...sent && { sent: [...otherDeliveries, {
      ...sent, delivery, at: now, ...isErased && { content: '' },
      ...work?.mayHaveArrived && { mayBeTwice: true as const },
    }] },
    ...keepMs ? { keptUntil: keptUntil(current, now + keepMs) } : {},
    history: withEntry(current, deliveredEntry(delivery, current, event, work, now)),
  })
  // A copy of the card that arrives after the erasure still shows the form.
  return isErased && !event.card ? settle(next, [], clock) : settleChanged(next, clock)
}

/** Records a card that was posted or edited, or a reply that was made. */
function finishCard(
  current: Submission, { key, card, version }: EventOf<'done'>, work: Work | undefined, clock: Clock,
): Transition {
  const { now, leasedUntil } = clock
  const recordedCard = card && current.cards.find(other => sameCard(other, card))
  const isNewCard = card !== undefined && !recordedCard
  const isOvertaken = version === undefined
    ? isOutdatedPost(current, recordedCard, isNewCard)
    : version < (current.look ?? 0)
  // A click may have put the new card on record before its post did; that decision updates the card.
  const isBehind = card !== undefined && isOvertaken && (isNewCard || !key.startsWith('post:'))
  if (!work && !isNewCard && !isBehind) return { refused: 'unknown-work' }
  const next = changed(current, {
    cards: card ? withCard(withGivenUp(current.cards, card, undefined), card) : current.cards,
    work: current.work.filter(each => each !== work),
    history: isNewCard
      ? withEntry(current, { at: now, event: 'posted', room: work?.room ?? card.platform })
      : current.history,
  })
  const isFollowed = card && next.work.some(each => each.kind === 'update' && sameCard(each.card!, card))
  const newUpdates = isBehind && !isFollowed ? updates([card], next.version, leasedUntil) : []
  return settle({ ...next, work: [...next.work, ...newUpdates] }, newUpdates, clock)
}

/** True if a card that was posted before the decision may still show buttons, or if its last edit was given up. */
function isOutdatedPost({ state }: Submission, recordedCard: CardRef | undefined, isNewCard: boolean): boolean {
  return recordedCard?.isGivenUp === true || (isNewCard && state !== 'open')
}

function deliveredEntry(
  delivery: Delivery, current: Submission, event: EventOf<'done'>, work: Work | undefined, at: number,
): HistoryEntry {
  return {
    at, event: 'delivered', delivery, ...attemptOf(current, event),
    ...work && work.attempts > 0 && { attempt: work.attempts + 1 },
  }
}

/**
 * Starts posting the card of this room, or these deliveries, unless that has started. After a decision a card waits for
 * a reopening.
 */
function takeTurn(current: Submission, event: EventOf<'turn'>, { now, leasedUntil }: Clock): Transition {
  const work = current.work.filter(({ kind, key, room, hasTurn, dueAt }) => (
    ('keys' in event ? event.keys.includes(key) : kind === 'post' && room === event.room) && !(hasTurn && dueAt > now)
  ))
  if (work.length === 0) return { refused: 'not-due' }
  const isNow = 'keys' in event || current.state === 'open'
  const nextWork = work.map((item): Work => (
    isNow ? { ...item, hasTurn: true, dueAt: leasedUntil } : { ...item, dueAt: now }
  ))
  return { next: changed(current, { work: replaced(current.work, nextWork) }), added: isNow ? nextWork : [] }
}

function putOff(current: Submission, { key, until, reason }: EventOf<'put-off'>, clock: Clock): Transition {
  const work = current.work.find(work => work.key === key)
  if (!work || work.hasTurn) return { refused: 'unknown-work' }
  const isNews = reason !== undefined && work.reason === undefined
  const waitingWork = { ...work, dueAt: until, ...isNews && { reason } }
  const next = changed(current, { work: replaced(current.work, [waitingWork]) })
  return isNews ? settleChanged(next, clock) : settle(next, [], clock)
}

function remind(current: Submission, { now, leasedUntil }: Clock): Transition {
  const isDue = current.state === 'open' && !current.reminded && now >= current.expiresAt - REMINDER_LEAD_MS
  if (!isDue) return { refused: 'not-due' }
  const added = cardsOf(current).map((card): Work => {
    return { key: `remind:${card.platform}:${card.messageId}`, kind: 'remind', card, attempts: 0, dueAt: leasedUntil }
  })
  const history = withEntry(current, { at: now, event: 'reminded' })
  return { next: changed(current, { reminded: true, history, work: [...current.work, ...added] }), added }
}

function expire(current: Submission, clock: Clock): Transition {
  const isDue = (current.state === 'open' || current.state === 'held') && clock.now >= current.expiresAt
  if (!isDue) return { refused: 'not-due' }
  const version = current.version + 1
  const work = updates(current.cards, version, clock.leasedUntil)
  const history = withEntry(current, { at: clock.now, event: 'expired' })
  return settle(changed(current, {
    look: version, state: 'expired', data: null, sent: withoutContent(current), history, work,
  }), work, clock)
}

function createPost(room: string, dueAt: number): Work {
  return { key: `post:${room}`, kind: 'post', room, attempts: 0, dueAt }
}

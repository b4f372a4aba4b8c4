import { CARD_UPDATES_MS, DECIDE_AGAIN_MS, DELIVERY_TTL_MS } from '../../../shared/lifetimes'
import type { RichText } from '../../../shared/types/line'
import type { Texts } from '../../../shared/texts'
import { dateTime } from '../../../shared/utils/line'
import type {
  Delivery, Submission, Work, Receipt, SentDelivery, DeliveryFailure, HistoryEntry,
} from '../../ports/submission'
import { UNDELIVERED_PAUSE_MS } from '../outbox/backoff'
import type { Done, Transition, EventOf, RefusedReason } from './events'
import {
  attemptOf, cardsOf, changed, followed, isDelivery, replaced, withEntry, outstanding, withGivenUp, isPending, tell,
  isRevocable, updates, withoutContent, sameCard, isKept, isOver, traceOf, isReturned, isLost, isPartial, contentHash,
} from './record'
import { isArrived, isNews, receiptText } from './email-status'
import { vendorOf } from '../deliveries/registry'

export interface Clock {
  /** Current time, epoch ms. */
  now: number
  /** End of the caller's lease on work that is added now, epoch ms. */
  leasedUntil: number
  /** How long after a decision cards still show the form, ms; null for always. */
  cardDataMs: number | null
}

/** Updates the cards, because their content has changed, then settles. */
export function settleChanged(submission: Submission, clock: Clock): Transition {
  const { next, added } = followed(submission, clock)
  return settle(next, added, clock)
}

/** Computes the next state after a piece of work is done or given up */
export function settle(next: Submission, added: readonly Work[], clock: Clock): Transition {
  if (next.state === 'open') return { next, added }
  if (next.state === 'settling') {
    if (next.work.some(({ kind }) => isDelivery(kind))) return { next, added }
    const isSettled = next.failures.length === 0 || next.decision?.action === 'spam'
    if (isSettled) {
      const confirmations = createConfirmation(next, clock)
      return settle(
        { ...next, state: 'settled', work: [...next.work, ...confirmations] }, [...added, ...confirmations], clock,
      )
    }
    return reopen({
      ...next, history: withEntry(next, { at: clock.now, event: 'reopened' }),
      expiresAt: Math.max(next.expiresAt, Math.min(
        clock.now + DECIDE_AGAIN_MS, next.receivedAt + DELIVERY_TTL_MS + DECIDE_AGAIN_MS,
      )),
    }, added, clock)
  }
  const submission = isKept(next, clock.now) ? next : { ...next, keptUntil: undefined }
  const { state, decision, cards } = submission
  // Even without form data, cards still show the form until they are collapsed.
  const isShown = state === 'settled' && decision?.action === 'forward' && cards.length > 0 && !submission.collapse
  // The confirmation to the sender needs no form data.
  const pendingConfirmations = submission.work.filter(({ kind }) => kind === 'confirm')
  const isDone = isOver({ ...submission, work: submission.work.filter(work => !pendingConfirmations.includes(work)) })
  const collapse = isShown && clock.cardDataMs !== null ? { at: decision.at + clock.cardDataMs } : submission.collapse
  const hasNothingToTrim = pendingConfirmations.length === 0 || submission.data === null
  if (!isDone || (hasNothingToTrim && collapse === submission.collapse)) return { next: submission, added }
  return { next: { ...traceOf(submission), work: pendingConfirmations, collapse }, added }
}

/** Creates the email that confirms the forward to the sender. */
function createConfirmation({ confirmation, version }: Submission, { leasedUntil }: Clock): Work[] {
  return confirmation?.to === undefined
    ? []
    : [{ key: `confirm#${version}`, kind: 'confirm', attempts: 0, dueAt: leasedUntil }]
}

/** Records that the confirmation was sent, or why it was skipped. */
export function confirmed(
  current: Submission, work: Work, { skipped }: Done, clock: Clock,
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

/** Removes the form data from cards after the time for showing it. */
export function collapse(current: Submission, clock: Clock): Transition {
  const { collapse } = current
  if (!collapse || collapse.begun || clock.now < collapse.at) return { refused: 'not-due' }
  return settleChanged(changed(current, { collapse: { ...collapse, begun: true } }), clock)
}

/** Opens the submission for another decision. */
function reopen(next: Submission, added: readonly Work[], { now, leasedUntil }: Clock): Transition {
  // Cards that were never posted are due at once, except one that may be in flight.
  const duePosts = next.work.filter(({ kind, dueAt }) => kind === 'post' && dueAt <= now)
  const leasedPosts = duePosts.map(work => ({ ...work, dueAt: leasedUntil }))
  const openSubmission: Submission = {
    ...next, state: 'open', decision: null, revocableUntil: undefined, keptUntil: undefined, collapse: undefined,
    // No confirmation: an email that bounced was not passed on.
    work: replaced(next.work, leasedPosts).filter(({ kind }) => kind !== 'confirm'),
  }
  return { next: openSubmission, added: [...added, ...leasedPosts] }
}

/** Records a failed attempt: the work is retried or given up. */
export function failWork(current: Submission, event: EventOf<'failed'>, clock: Clock): Transition {
  const work = current.work.find(({ key }) => key === event.key)
  if (!work) return { refused: 'unknown-work' }
  const { reason, refused, gone, limited, partial } = event
  const isTooLate = work.kind === 'update' && event.retryAt !== null && event.retryAt > cardUpdatesEndAt(current)
  const retryAt = isTooLate ? null : event.retryAt
  const otherWork = current.work.filter(item => item !== work)
  const room = event.room ?? work.room ?? work.card?.platform
  const retriedWork = {
    ...work, attempts: work.attempts + 1, reason, refused, limited, hasTurn: undefined,
    missed: gone ? (work.missed ?? 0) + 1 : undefined,
    mayHaveArrived: event.mayHaveArrived ?? work.mayHaveArrived, endAt: event.endAt ?? work.endAt,
  }
  const isGivenUp = work.kind === 'update' && retryAt === null
  const next = changed(current, {
    history: withEntry(current, {
      at: clock.now, event: 'failed', kind: work.kind, ...room ? { room } : {}, reason, again: retryAt,
      ...attemptOf(current, event),
    }),
    work: retryAt === null ? otherWork : [...otherWork, { ...retriedWork, dueAt: retryAt }],
    cards: isGivenUp ? withGivenUp(current.cards, work.card!, true) : current.cards,
    ...partial && { sent: withPartial(current, work, partial, clock.now) },
  })
  if (!isDelivery(work.kind)) return settle(next, [], clock)
  const failures = [...current.failures, { delivery: work.kind, reason }]
  const step = settleChanged(retryAt === null ? { ...next, failures } : next, clock)
  return event.isTold && 'next' in step && step.next.state === 'open' ? withNews(step, clock) : step
}

/** Tells people below the cards that deliveries were given up. */
function withNews({ next, added }: Exclude<Transition, { refused: unknown }>, { leasedUntil }: Clock): Transition {
  const news = cardsOf(next).map((card): Work => (
    { ...tell(card, next.version, leasedUntil), isAboutFailure: true }
  ))
  return { next: { ...next, work: [...next.work, ...news] }, added: [...added, ...news] }
}

/** Records that some recipients have the email. */
function withPartial(
  current: Submission, { kind: delivery, mayHaveArrived }: Work, { to, refused }: Pick<SentDelivery, 'to' | 'refused'>,
  at: number,
): readonly SentDelivery[] {
  const { sent = [], data } = current
  const earlier = sent.find(each => each.delivery === delivery && isPartial(each, current))
  return [...sent.filter(each => each.delivery !== delivery), {
    delivery, to: [...earlier?.to ?? [], ...to], refused, at, content: data ? contentHash(data) : '',
    ...(mayHaveArrived ?? earlier?.mayBeTwice) && { mayBeTwice: true as const },
  }]
}

function cardUpdatesEndAt({ state, decision, erased, collapse, expiresAt }: Submission): number {
  return state === 'open'
    ? Number.POSITIVE_INFINITY
    : ((erased ?? collapse ?? decision)?.at ?? expiresAt) + CARD_UPDATES_MS
}

/** Posts refused cards again. */
export function postAgain(current: Submission, { leasedUntil }: Clock): Transition {
  const refusedWork = outstanding(current).filter(({ refused }) => refused)
  if (refusedWork.length === 0) return { refused: 'not-due' }
  const leasedWork = refusedWork.map(work => ({ ...work, refused: undefined, dueAt: leasedUntil }))
  const otherWork = current.work.filter(({ refused }) => !refused)
  return { next: changed(current, { work: [...otherWork, ...leasedWork] }), added: leasedWork }
}

/**
 * Makes failed work of this vendor due now. Skips three kinds of work: due within a lease, because another process may
 * be doing it; delayed by the vendor's rate limit; cards refused because of their content.
 */
export function pull(current: Submission, { vendor }: EventOf<'pulled'>, { now, leasedUntil }: Clock): Transition {
  const failedWork = outstanding(current).filter(work => (
    vendorOf(work) === vendor && (work.attempts > 0 || work.reason !== undefined) && work.dueAt > leasedUntil
    && !work.limited && !work.refused
  ))
  if (failedWork.length === 0) return { refused: 'not-due' }
  // Early attempts are not counted.
  const dueWork = failedWork.map(work => ({
    ...work, attempts: Math.max(work.attempts - 1, Math.min(work.attempts, 1)), dueAt: now,
  }))
  return { next: changed(current, { work: replaced(current.work, dueWork) }), added: [] }
}

/** Time to keep form data after an email arrived, ms: receipts of one email come within seconds, in any order. */
const RECEIPT_WAIT_MS = 60 * 1000

/**
 * Records the receipt of an email. Updates the cards while there is form data; later posts a message in their threads.
 */
export function takeReceipt(current: Submission, event: EventOf<'receipt'>, clock: Clock): Transition {
  const next = applyReceipt(current, event, clock.now)
  if ('refused' in next) return next
  if (next.data) return settleChanged(next, clock)
  const messages = createMessages(next, clock.leasedUntil)
  // Drop messages that wait for a retry: the new messages report the latest status.
  const otherWork = next.work.filter(({ kind, attempts }) => kind !== 'tell' || attempts === 0)
  return settle({ ...next, work: [...otherWork, ...messages] }, messages, clock)
}

/**
 * Returns the submission with the new receipt. While there is form data, a bounced email counts as a failed delivery in
 * any state: the submission is reopened as soon as no delivery is pending.
 */
function applyReceipt(
  current: Submission, { messageId, receipt }: EventOf<'receipt'>, now: number,
): Submission | { refused: RefusedReason } {
  const email = current.sent?.find(each => each.messageId === messageId)
  if (!email) return { refused: 'unknown-email' }
  if (!isNews(receipt, email.receipt)) return { refused: 'no-news' }
  const next = changed(current, {
    sent: current.sent!.map((each): SentDelivery => each === email ? { ...email, receipt } : each),
    history: withEntry(current, { at: now, event: 'receipt', receipt }),
    // Do not shorten data kept until expiry: links to files need it.
    ...current.keptUntil !== undefined && current.keptUntil < current.expiresAt && isArrived(receipt)
      ? { keptUntil: Math.min(current.keptUntil, now + RECEIPT_WAIT_MS) }
      : {},
  })
  return isReturned(receipt) && canFail(next, email, now) ? withFailure(next, { ...email, receipt }) : next
}

/** True if the email can be resent: no email is being sent, and the submission was not marked as spam since. */
function canFail(
  { state, data, decision, expiresAt, work }: Submission, { delivery }: SentDelivery, now: number,
): boolean {
  const isResendable = data !== null && now < expiresAt && (state === 'settled' || isPending({ state }))
  return isResendable && decision?.action !== 'spam' && !work.some(({ kind }) => kind === delivery)
}

function withFailure(
  next: Submission, { delivery, receipt }: SentDelivery & { receipt: Receipt },
): Submission {
  const otherFailures = next.failures.filter(failure => failure.delivery !== delivery)
  return {
    ...next, state: next.state === 'settled' ? 'settling' : next.state, keptUntil: undefined,
    delivered: next.delivered.filter(each => each !== delivery),
    failures: [...otherFailures, { delivery, reason: `${receiptText(receipt)}.` }],
  }
}

/** Creates messages for the threads of the cards: updating a card without form data would remove its content. */
function createMessages(submission: Submission, dueAt: number): Work[] {
  return submission.state === 'erased' ? [] : cardsOf(submission).map(card => tell(card, submission.version, dueAt))
}

/** Undoes a decision while that is possible: the submission is open again and keeps its edits. */
export function revoke(
  current: Submission, { action, reviewer, press }: EventOf<'revoked'>, clock: Clock,
): Transition {
  const { decision, revocableUntil, data, history } = current
  const { now } = clock
  if (decision?.action !== action || !isRevocable(current) || !data) return { refused: 'irrevocable' }
  // A forward can be undone until its first delivery begins, even after `revocableUntil`.
  if (action === 'spam' && now >= revocableUntil!) return { refused: 'irrevocable' }
  if (press && history.some(entry => 'press' in entry && entry.press === press)) return { refused: 'irrevocable' }
  const { next, added } = followed(changed(current, {
    work: current.work.filter(({ kind }) => !isDelivery(kind)),
    history: withEntry(current, { at: now, event: 'revoked', action, reviewer, ...press ? { press } : {} }),
  }), clock)
  return reopen(next, added, clock)
}

/** Failures since the decision, which are bounced emails. Older failures are kept only for an undo. */
export function returned({ failures, history, work, sent = [] }: Submission): readonly DeliveryFailure[] {
  const roundEntries = history.slice(history.findLastIndex(({ event }) => event === 'claimed'))
  const hasBounced = roundEntries.some(entry => entry.event === 'receipt' && isReturned(entry.receipt))
  const bouncedDeliveries = hasBounced ? sent.filter(isLost).map(({ delivery }) => delivery) : []
  return failures.filter(({ delivery }) => (
    bouncedDeliveries.includes(delivery) && !work.some(({ kind }) => kind === delivery)
  ))
}

/** Ends the time to undo a spam decision, or to wait for a receipt. */
export function forget(current: Submission, clock: Clock): Transition {
  const { state, revocableUntil = Infinity, keptUntil = Infinity } = current
  if (state !== 'settled') return { refused: 'not-due' }
  if (clock.now >= keptUntil) return settle(changed(current, { keptUntil: undefined }), [], clock)
  if (clock.now < revocableUntil) return { refused: 'not-due' }
  return settleChanged(changed(current, {
    data: null, revocableUntil: undefined, failures: [], sent: withoutContent(current),
  }), clock)
}

/** Erases the form data in any state, updates the cards and notifies the endpoint. */
export function erase(
  current: Submission, { reviewer, press, told: notified = [] }: EventOf<'erased'>, clock: Clock,
): Transition {
  const { now, leasedUntil } = clock
  if (current.state === 'erased') return { refused: 'decided' }
  const version = current.version + 1
  const cardUpdates = updates(current.cards, version, leasedUntil)
  const erasureWork = notified.map((delivery): Work => ({
    key: `erasure:${delivery}#${version}`, kind: 'erasure', delivery, attempts: 0, dueAt: leasedUntil,
  }))
  const next = changed(current, {
    look: version, state: 'erased', data: null, erased: { reviewer, at: now },
    revocableUntil: undefined, collapse: undefined, failures: [], work: [...cardUpdates, ...erasureWork],
    sent: withoutContent(current),
    history: withEntry(current, { at: now, event: 'erased', reviewer, ...press && { press } }),
  })
  // Notify the endpoint after the lease of a delivery in flight: it has arrived by then.
  const isBeingDelivered = (delivery?: Delivery) => current.work.some(({ kind, dueAt }) => (
    kind === delivery && now < dueAt && dueAt <= leasedUntil
  ))
  return settle(next, next.work.filter(({ delivery }) => !isBeingDelivered(delivery)), clock)
}

/**
 * Replaces a deleted card once: a second deletion counts as intended. A card that never arrived is posted again until
 * one arrives, like a card that the platform refuses.
 */
export function missCard(
  current: Submission, { card, room, undelivered }: EventOf<'card-deleted'>, { now, leasedUntil }: Clock,
): Transition {
  const recorded = current.cards.find(other => sameCard(other, card))
  if (current.state !== 'open' || !recorded) return { refused: 'unknown-work' }
  const isFirst = !current.history.some(entry => (
    entry.event === 'card-deleted' && entry.room === room && !entry.hasAnother
  ))
  const isWanted = !recorded.isCopy && (isFirst || undelivered !== undefined)
  const work = current.work.filter(({ card: workCard }) => !workCard || !sameCard(workCard, card))
  const isMissing = room !== null && isWanted && !work.some(({ kind, room: workRoom }) => (
    kind === 'post' && workRoom === room
  ))
  const schedule = undelivered === undefined
    ? { attempts: 0, dueAt: leasedUntil }
    : { attempts: 1, dueAt: now + UNDELIVERED_PAUSE_MS, reason: undelivered }
  const added: Work[] = isMissing
    ? [{ key: `post:${room}#${current.version + 1}`, kind: 'post', room, ...schedule }]
    : []
  const roomKey = room ?? card.platform
  const history = undelivered === undefined
    ? withEntry(current, {
        at: now, event: 'card-deleted', room: roomKey, ...room === null && { hasAnother: true as const },
      })
    : withEntry({ ...current, history: current.history.filter(entry => !isPosted(entry, roomKey)) }, {
        at: now, event: 'failed', kind: 'post', room: roomKey, reason: undelivered, again: added[0]?.dueAt ?? null,
      })
  const next = changed(current, {
    cards: current.cards.filter(other => !sameCard(other, card)), work: [...work, ...added], history,
  })
  return { added: undelivered === undefined ? added : [], next }
}

function isPosted(entry: HistoryEntry, room: string): boolean {
  return entry.event === 'posted' && entry.room === room
}

export function deletionNotes({ history }: Submission, texts: Texts): RichText[] {
  const deletion = history.findLast(({ event }) => event === 'card-deleted')
  return deletion ? [texts('card.earlierDeleted', { at: dateTime(deletion.at) })] : []
}

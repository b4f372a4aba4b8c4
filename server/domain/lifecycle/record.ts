import { REMINDER_LEAD_MS, SETTLING_GRACE_MS } from '../../../shared/lifetimes'
import { createHash } from 'node:crypto'
import { beginning } from '../../../shared/utils/text'
import type { List, StoreRules } from '../../ports/store'
import type {
  AttemptFacts, CardRef, Delivery, HistoryEntry, Assignee, Receipt, Reviewer, SentDelivery, Submission, SubmissionData,
  SubmissionRecord, Work,
} from '../../ports/submission'
import { answersNamed } from '../fields/reading'
import { parseJson } from '../json'

/** Work to do now. The card of a decided submission is posted only if the submission is reopened. */
export function outstanding({ state, work }: SubmissionRecord): readonly Work[] {
  return state === 'open' ? work : work.filter(({ kind }) => kind !== 'post')
}

/** True if people may still have to act: it is open or being delivered. */
export function isPending({ state }: { state: Submission['state'] }): boolean {
  return state === 'open' || state === 'settling'
}

/** True if its decision can be undone: spam while its data is kept, a forward until its delivery begins. */
export function isRevocable({ state, decision, revocableUntil }: SubmissionRecord): boolean {
  return revocableUntil !== undefined && state === (decision?.action === 'spam' ? 'settled' : 'settling')
}

/** Returns the next version. */
export function changed(current: Submission, changes: Partial<Submission>): Submission {
  return { ...current, version: current.version + 1, ...changes }
}

/**
 * Clears values that the new state does not allow. Field names count as form data and are erased with it. Only open
 * submissions have an assignee. The confirmation address stays as long as it may be needed.
 */
export function tidied(next: Submission): Submission {
  const isDataTidy = next.data !== null || (
    next.edited.length === 0 && !next.envelope && !next.before && !next.history.some(hasAnswer)
  )
  const isAssigneeTidy = next.state === 'open' || !next.holder
  const { data, edited, envelope, before, holder: assignee, confirmation, history } = next
  const isConfirmationPending = next.state === 'settling' || next.work.some(({ kind }) => kind === 'confirm')
  const isConfirmationTidy = confirmation?.to === undefined || isConfirmationPending
  if (isDataTidy && isAssigneeTidy && isConfirmationTidy) return next
  return {
    ...next, edited: data ? edited : [], envelope: data ? envelope : undefined, before: data ? before : undefined,
    history: data ? history : history.map(withoutAnswer), holder: next.state === 'open' ? assignee : undefined,
    confirmation: isConfirmationTidy ? confirmation : undefined,
  }
}

const hasAnswer = (entry: HistoryEntry): entry is HistoryEntry & { event: 'delivered' | 'failed' } => (
  'answer' in entry && entry.answer !== undefined
)

/** An answer may tell about the form data, even without its values: it is erased with them. */
const withoutAnswer = (entry: HistoryEntry): HistoryEntry => hasAnswer(entry) ? { ...entry, answer: undefined } : entry

/** Returns what the history keeps about an attempt. */
export function attemptOf({ data }: Submission, { ms, status, answer }: AttemptFacts): AttemptFacts {
  return {
    ...ms !== undefined && { ms }, ...status !== undefined && { status },
    ...data !== null && answer !== undefined && { answer },
  }
}

/** Replaces items with the same key. */
export function replaced(work: readonly Work[], replacements: readonly Work[]): Work[] {
  return work.map(item => replacements.find(({ key }) => key === item.key) ?? item)
}

export function updates(cards: readonly CardRef[], version: number, dueAt: number): Work[] {
  return cards.map(card => ({
    key: `update:${card.platform}:${card.messageId}#${version}`, kind: 'update', card, attempts: 0, dueAt,
  }))
}

/** Message in the card's thread */
export function tell(card: CardRef, version: number, dueAt: number): Work {
  return { key: `tell:${card.platform}:${card.messageId}#${version}`, kind: 'tell', card, attempts: 0, dueAt }
}

/**
 * Updates every card, because this version changes the card content. A card that is being edited right now is updated
 * after that edit, so that changes at about the same time need one edit.
 */
export function followed(
  next: Submission, { now, leasedUntil }: { now: number, leasedUntil: number },
): { next: Submission, added: Work[] } {
  const runningUpdates = next.work.filter(work => work.kind === 'update' && work.attempts === 0 && work.dueAt > now)
  const added = updates(
    next.cards.filter(card => !runningUpdates.some(work => sameCard(work.card!, card))), next.version, leasedUntil,
  )
  const otherWork = next.work.filter(work => work.kind !== 'update' || runningUpdates.includes(work))
  return { next: { ...next, look: next.version, work: [...otherWork, ...added] }, added }
}

export function withCard(cards: readonly CardRef[], card: CardRef): readonly CardRef[] {
  return cards.some(other => sameCard(other, card)) ? cards : [...cards, card]
}

/** Cards where people decide */
export function cardsOf({ cards }: SubmissionRecord): readonly CardRef[] {
  return cards.filter(({ isCopy }) => !isCopy)
}

/** Marks a card whose edit was given up, or removes the mark. */
export function withGivenUp(
  cards: readonly CardRef[], card: CardRef, isGivenUp: CardRef['isGivenUp'],
): readonly CardRef[] {
  return cards.map(other => sameCard(other, card) && other.isGivenUp !== isGivenUp ? { ...other, isGivenUp } : other)
}

export function sameCard(a: CardRef, b: CardRef): boolean {
  return a.platform === b.platform && a.messageId === b.messageId
}

const NO_DELIVERIES: readonly Work['kind'][] = ['post', 'update', 'remind', 'tell', 'erasure', 'confirm']

/** True for any delivery, even if only another version of this service has it. */
export function isDelivery(kind: Work['kind'] | undefined): kind is Delivery {
  return kind !== undefined && !NO_DELIVERIES.includes(kind)
}

/** Max entries of a history: a few rounds of every delivery with all its attempts. */
const HISTORY_ENTRIES = 60

/**
 * Adds an entry. The history is bounded, because a submission may be decided and reopened any number of times; the
 * first entry stays. Of failures with the same reason and status, only the latest is kept, with their count: retries
 * may go on for days.
 */
export function withEntry({ history }: Submission, entry: HistoryEntry): readonly HistoryEntry[] {
  const lastDecision = entry.event === 'failed' ? history.findLastIndex(({ event }) => event === 'claimed') : 0
  const earlier = history.find((each, index): each is Failure => isRepetition(entry, each, index > lastDecision))
  const counted = earlier && { count: (earlier.count ?? 1) + 1, since: earlier.since ?? earlier.at }
  const entries = [...earlier ? history.filter(each => each !== earlier) : history, { ...entry, ...counted }]
  return entries.length <= HISTORY_ENTRIES ? entries : [entries[0]!, ...entries.slice(1 - HISTORY_ENTRIES)]
}

type Failure = HistoryEntry & { event: 'failed' }

/** @param isSameRound true if no decision is between them; only deliveries belong to a decision */
function isRepetition(entry: HistoryEntry, earlier: HistoryEntry, isSameRound: boolean): boolean {
  return entry.event === 'failed' && earlier.event === 'failed' && entry.kind === earlier.kind
    && (entry.kind === 'update' || entry.kind === 'post' || (isSameRound && isDelivery(entry.kind)))
    && entry.room === earlier.room && entry.reason === earlier.reason && entry.status === earlier.status
}

/** Values of all edited fields before their first edit */
export function withOriginals(
  { before: originals, data }: Submission, edited: readonly string[],
): SubmissionData | undefined {
  const answers = answersNamed(edited, data)
  const newOriginals = edited.map((key, index) => [key, answers[index]?.value] as const).filter(
    ([key]) => !Object.hasOwn(originals ?? {}, key),
  )
  return newOriginals.length > 0 ? Object.fromEntries([...Object.entries(originals ?? {}), ...newOriginals]) : originals
}

/** Time until which the form data is kept: the later of the previous and the wanted time, at most until expiry. */
export function keptUntil({ keptUntil: previousUntil = 0, expiresAt }: Submission, wantedUntil: number): number {
  return Math.max(previousUntil, Math.min(wantedUntil, expiresAt))
}

/** Records of deliveries, without anything made from the form data */
export function withoutContent({ sent = [] }: Submission): readonly SentDelivery[] {
  return sent.map(each => ({ ...each, content: '' }))
}

/** Content hash: 16 hex digits over the data that is delivered */
export function contentHash(data: SubmissionData): string {
  return digest(JSON.stringify(data))
}

export function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}

/** Time after a take before the list of reviewers is checked again, ms */
const LIST_CHECK_DELAY_MS = 60 * 1000

/** Next time at which the submission needs work, epoch ms */
export function nextAttention(submission: SubmissionRecord): number {
  const dueTimes = outstanding(submission).map(work => work.dueAt)
  if (submission.state === 'held') dueTimes.push(submission.expiresAt)
  if (isRevocableSpam(submission)) dueTimes.push(submission.revocableUntil!)
  if (submission.collapse && !submission.collapse.begun) dueTimes.push(submission.collapse.at)
  const reminderAt = submission.expiresAt - REMINDER_LEAD_MS
  if (submission.state === 'open') dueTimes.push(submission.reminded ? submission.expiresAt : reminderAt)
  if (submission.state === 'settled') dueTimes.push(submission.keptUntil ?? Infinity)
  if (submission.holder) dueTimes.push(nextAssigneeCheck(submission.holder))
  return Math.min(...dueTimes)
}

/** Time from which sweeps check that the assignee is still on the list of reviewers, epoch ms */
function nextAssigneeCheck({ since, until, listed }: Assignee): number {
  return listed ? Math.min(since + LIST_CHECK_DELAY_MS, until) : until
}

/** True if its form data is kept although all work is done. */
export function isKept({ state, data, keptUntil = 0 }: Submission, now: number): boolean {
  return state === 'settled' && data !== null && now < keptUntil
}

/** True if a person must act, because a delivery or a card was refused or given up. */
export function needsPerson({ state, failures, work }: SubmissionRecord): boolean {
  return state === 'open' && (failures.length > 0 || work.some(({ refused }) => refused))
}

/** True if a delivery has failed or is put off, and will be tried again. */
function isRetrying({ state, work }: SubmissionRecord): boolean {
  return state === 'settling' && work.some(isRetried)
}

/** True if this delivery has failed or is put off, and will be tried again. */
export function isRetried({ kind, attempts, reason }: Work): boolean {
  return isDelivery(kind) && (attempts > 0 || reason !== undefined)
}

/** True if it is spam that is kept for a while, because somebody may undo the decision. */
function isRevocableSpam(submission: SubmissionRecord): boolean {
  return submission.state === 'settled' && isRevocable(submission)
}

/** List of the ops pages that contains it; null if none does. */
export function listOf(submission: SubmissionRecord): List | null {
  if (isPending(submission)) return 'pending'
  if (submission.state === 'held') return 'held'
  return isRevocableSpam(submission) ? 'spam' : null
}

/** Time until which the form data may be kept, epoch ms */
export function dataLivesUntil(submission: SubmissionRecord): number {
  const { state, decision, erased, collapse, expiresAt, revocableUntil, keptUntil } = submission
  if (isRevocableSpam(submission)) return revocableUntil!
  // The record must last at least until this time.
  if (erased ?? collapse) return Math.max(expiresAt, (erased ?? collapse)!.at)
  // Cards that are not updated yet still need the data.
  if (state === 'settled' && keptUntil !== undefined && outstanding(submission).length === 0) return keptUntil
  if (!decision) return expiresAt
  const endAt = Math.max(decision.at, ...submission.work.map(work => work.endAt ?? 0))
  return Math.max(expiresAt, endAt + SETTLING_GRACE_MS)
}

/** Lifecycle rules for the store */
export const storeRules: StoreRules = {
  nextAttention, dataLivesUntil, listOf, isOver, parse: parseJson,
  isIn: { stuck: needsPerson, taken: ({ holder }) => holder !== undefined, retrying: isRetrying },
}

/** Max cards of one submission, including cards posted on request: every card is kept up to date. */
export const MOST_CARDS = 20

const LONGEST_NAME = 80

const LONGEST_PRESS = 64

/** Events that a click can cause, with the events that undo them; releases and erasures cannot be undone. */
const UNDONE_BY: Partial<Record<HistoryEntry['event'], readonly HistoryEntry['event'][]>> = {
  claimed: ['revoked', 'reopened', 'erased'], revoked: ['claimed', 'erased'], released: [], noted: [], erased: [],
}

/** True if it ended and has no work and nothing to wait for: then only its trace is kept. */
export function isOver(submission: SubmissionRecord): boolean {
  const { state, keptUntil, collapse } = submission
  const isAwaited = isRevocable(submission) || keptUntil !== undefined || (collapse !== undefined && !collapse.begun)
  const hasEnded = state === 'settled' || state === 'expired' || state === 'erased'
  return hasEnded && !isAwaited && outstanding(submission).length === 0
}

/** Trace of a submission that is over: who decided what, where its cards are, and what was sent. Bounded. */
export function traceOf(submission: Submission): Submission {
  const { decision, erased } = submission
  return {
    ...submission,
    data: null, envelope: undefined, before: undefined, reminded: true, edited: [],
    cards: submission.cards.slice(-MOST_CARDS), work: [], failures: [], history: [],
    keptUntil: undefined, revocableUntil: undefined,
    pressed: lastPress(submission)?.slice(0, LONGEST_PRESS), sent: withoutContent(submission),
    decision: decision && { ...decision, reviewer: shortenName(decision.reviewer) },
    ...erased && { erased: { ...erased, reviewer: shortenName(erased.reviewer) } },
  }
}

/** True if this click was applied before, with any effect. A trace knows only the click of the last decision. */
export function isPressed({ history, pressed }: Submission, press: string): boolean {
  return pressed === press || history.some(entry => 'press' in entry && entry.press === press)
}

/** Outcome of the decision that this click made; null if it made none. */
export function outcomeOf({ history, pressed }: Submission, press: string): 'stands' | 'undone' | null {
  const index = history.findLastIndex(entry => isDecision(entry) && entry.press === press)
  if (index < 0) return pressed === press ? 'stands' : null
  const undoingEvents = UNDONE_BY[history[index]!.event]
  return history.slice(index + 1).some(({ event }) => undoingEvents?.includes(event)) ? 'undone' : 'stands'
}

/** Click that made the last decision, unless that decision was undone. */
function lastPress(submission: Submission): string | undefined {
  const latestPress = submission.history.findLast(isDecision)?.press
  return latestPress !== undefined && outcomeOf(submission, latestPress) === 'stands' ? latestPress : submission.pressed
}

function isDecision(entry: HistoryEntry): entry is HistoryEntry & { press: string } {
  return entry.event in UNDONE_BY && 'press' in entry && entry.press !== undefined
}

function shortenName(reviewer: Reviewer): Reviewer {
  return { ...reviewer, name: beginning(reviewer.name, LONGEST_NAME).toWellFormed() }
}

/** True if the email did not reach all its recipients. */
export function isReturned({ verdict }: Receipt): boolean {
  return verdict === 'suppressed' || verdict === 'failed' || verdict === 'bounced'
}

/** True if a receipt says that the delivery bounced. */
export function isLost({ receipt }: SentDelivery): boolean {
  return receipt !== undefined && isReturned(receipt)
}

/** True if some recipients did not get the present content, or the last one: their mail server refused them. */
export function isPartial({ refused, content }: SentDelivery, { data }: Submission): boolean {
  return refused !== undefined && (data === null || content === contentHash(data))
}

/** True if its email bounced or was refused for a recipient, so that somebody may send it again. */
export function canSendAgain(submission: SubmissionRecord): boolean {
  return bouncedDelivery(submission) !== undefined
}

/** Returns the delivery that did not reach all recipients and waits for another decision. */
export function bouncedDelivery({ state, failures, sent = [] }: SubmissionRecord): SentDelivery | undefined {
  if (state !== 'open') return undefined
  return sent.find(each => (
    (isLost(each) || each.refused) && failures.some(({ delivery }) => delivery === each.delivery)
  ))
}

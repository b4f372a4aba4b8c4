import type {
  CardRef, Delivery, HistoryEntry, Sent, Submission, SubmissionData, SubmissionRecord, Work,
} from '../../ports/submission'
import { createHash } from 'node:crypto'

/** What is to be done now. A card is not posted while its submission is decided: only if that is opened again. */
export function outstanding({ state, work }: SubmissionRecord): readonly Work[] {
  return state === 'open' ? work : work.filter(({ kind }) => kind !== 'post')
}

/** By which way work goes out that is no card's. */
export function wayOf(kind: Work['kind']): Delivery {
  return kind === 'email' || kind === 'confirm' ? 'email' : 'endpoint'
}

/** Key of the platform, `email` or `endpoint`: who has to answer for the work to be done. */
export function vendorOf({ kind, room, card }: Pick<Work, 'kind' | 'room' | 'card'>): string {
  return (room ?? card?.platform)?.split('/')[0] ?? wayOf(kind)
}

/** Whether people may still have to do with it: it waits, or is being delivered. */
export function isPending({ state }: Pick<Submission, 'state'>): boolean {
  return state === 'open' || state === 'settling'
}

/** Whether its decision can be taken back: spam while its data is kept, a forward until any of it is on its way. */
export function isRevocable({ state, decision, revocableUntil }: SubmissionRecord): boolean {
  return revocableUntil !== undefined && state === (decision?.action === 'spam' ? 'settled' : 'settling')
}

/** The next version. */
export function changed(current: Submission, changes: Partial<Submission>): Submission {
  return { ...current, version: current.version + 1, ...changes }
}

/**
 * Names of fields are form data too, and go with it. Nobody is on what does not wait for a decision. Where it is
 * confirmed is known as long as it may be.
 */
export function tidied(next: Submission): Submission {
  const isTold = next.data !== null || (next.edited.length === 0 && !next.envelope && !next.before)
  const isFree = next.state === 'open' || !next.holder
  const { data, edited, envelope, before, holder, confirmation } = next
  const isAwaited = next.state === 'settling' || next.work.some(({ kind }) => kind === 'confirm')
  const isAddressed = confirmation?.to === undefined || isAwaited
  if (isTold && isFree && isAddressed) return next
  return {
    ...next, edited: data ? edited : [], envelope: data ? envelope : undefined,
    before: data ? before : undefined, holder: next.state === 'open' ? holder : undefined,
    confirmation: isAddressed ? confirmation : undefined,
  }
}

/** The list with these in the place of those that have their keys. */
export function replaced(work: readonly Work[], by: readonly Work[]): Work[] {
  return work.map(item => by.find(({ key }) => key === item.key) ?? item)
}

export function updates(cards: readonly CardRef[], version: number, dueAt: number): Work[] {
  return cards.map(card => ({
    key: `update:${card.platform}:${card.messageId}#${version}`, kind: 'update', card, attempts: 0, dueAt,
  }))
}

/** News in the card's thread. */
export function tell(card: CardRef, version: number, dueAt: number): Work {
  return { key: `tell:${card.platform}:${card.messageId}#${version}`, kind: 'tell', card, attempts: 0, dueAt }
}

/**
 * What the cards show has changed with this version: each of them has to follow. One that is being edited right now is
 * looked after when its edit is done, so that changes that come together cost one edit.
 */
export function followed(
  next: Submission, { now, leasedUntil }: { now: number, leasedUntil: number },
): { next: Submission, added: Work[] } {
  const inHand = next.work.filter(work => work.kind === 'update' && work.attempts === 0 && work.dueAt > now)
  const added = updates(
    next.cards.filter(card => !inHand.some(work => sameCard(work.card!, card))), next.version, leasedUntil,
  )
  const rest = next.work.filter(work => work.kind !== 'update' || inHand.includes(work))
  return { next: { ...next, look: next.version, work: [...rest, ...added] }, added }
}

export function withCard(cards: readonly CardRef[], card: CardRef): readonly CardRef[] {
  return cards.some(other => sameCard(other, card)) ? cards : [...cards, card]
}

/** Marks a card whose edit was given up, or takes the mark away. */
export function withGivenUp(
  cards: readonly CardRef[], card: CardRef, isGivenUp: CardRef['isGivenUp'],
): readonly CardRef[] {
  return cards.map(other => sameCard(other, card) && other.isGivenUp !== isGivenUp ? { ...other, isGivenUp } : other)
}

export function sameCard(a: CardRef, b: CardRef): boolean {
  return a.platform === b.platform && a.messageId === b.messageId
}

export function isDelivery(kind: Work['kind'] | undefined): kind is Delivery {
  return kind === 'email' || kind === 'endpoint'
}

/** Longest history that is kept: a few rounds of every delivery with all its attempts. */
const HISTORY_ENTRIES = 60

/**
 * Bounded, because a submission may be decided and reopened any number of times; the arrival stays. A card that cannot
 * be posted or updated for days is one entry, the latest.
 */
export function withEntry({ history }: Submission, entry: HistoryEntry): readonly HistoryEntry[] {
  const entries = [...history.filter(earlier => !repeats(entry, earlier)), entry]
  return entries.length <= HISTORY_ENTRIES ? entries : [entries[0]!, ...entries.slice(1 - HISTORY_ENTRIES)]
}

function repeats(entry: HistoryEntry, earlier: HistoryEntry): boolean {
  return entry.event === 'failed' && earlier.event === 'failed' && entry.kind === earlier.kind
    && (entry.kind === 'update' || entry.kind === 'post')
    && entry.room === earlier.room && entry.reason === earlier.reason
}

/** What the sender wrote in all that was edited: what stood there before its first edit. */
export function withOriginals({ before, data }: Submission, edited: readonly string[]): SubmissionData | undefined {
  const added = edited.filter(key => !Object.hasOwn(before ?? {}, key)).map(key => [key, data?.[key]] as const)
  return added.length > 0 ? Object.fromEntries([...Object.entries(before ?? {}), ...added]) : before
}

/** Until when the form data is kept that is wanted until then; as long as it was wanted before, or longer. */
export function keptUntil({ keptUntil: before = 0, expiresAt }: Submission, wanted: number): number {
  return Math.max(before, Math.min(wanted, expiresAt))
}

/** What was sent, without anything that is made from the form data. */
export function withoutContent({ sent = [] }: Submission): readonly Sent[] {
  return sent.map(each => ({ ...each, content: '' }))
}

/** Tells one content from another without being it: 16 hex digits over what a receiver gets. */
export function contentOf(data: SubmissionData): string {
  return digest(JSON.stringify(data))
}

export function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}

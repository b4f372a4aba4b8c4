import type { CardRef, Assignee, Submission, SubmissionRecord } from '../../ports/submission'
import { identityOf, signatureOf } from '../people/people'
import type { EventOf, Transition } from './events'
import { changed, followed, tell, withCard, withEntry, isPressed } from './record'
import type { Clock } from './settle'

/** A second click within this time is a double click, ms: nobody has read the answer to the first one yet. */
const READING_MS = 1000

/** Most people remembered as warned about one assignment */
const WARNED = 20

type Step = Exclude<Transition, { refused: unknown }>

type HoldEvent = EventOf<'taken'> | EventOf<'returned'> | EventOf<'freed'> | EventOf<'warned'>

/** Assignment of a submission, from the take to its end. `isAnothers` says what others may do meanwhile. */
export function hold(current: Submission, event: HoldEvent, clock: Clock): Transition {
  if (event.type === 'freed') return letGo(current, event, clock)
  if (current.state !== 'open') return { refused: current.state === 'held' ? 'held' : 'decided' }
  if (clock.now >= current.expiresAt || !current.data) return { refused: 'expired' }
  const holder = assigneeOf(current, clock.now)
  switch (event.type) {
    case 'taken': return take(current, event, holder, clock)
    case 'returned': return handBack(current, event, holder, clock)
    case 'warned': return warn(current, event, holder, clock)
  }
}

/** Current assignee; null if nobody has it. */
export function assigneeOf({ state, holder }: SubmissionRecord, now: number): Assignee | null {
  return state === 'open' && holder && now < holder.until ? holder : null
}

/** True if somebody else has it, and the caller must be warned first or may not decide at all. */
export function isAnothers(
  current: Submission, { heeds, card, press }: Pick<EventOf<'claimed'>, 'heeds' | 'card' | 'press'>, now: number,
): boolean {
  const holder = heeds && assigneeOf(current, now)
  if (!holder || holder.who === heeds.who) return false
  const told = heeds.rule === 'soft' && holder.warned?.find(({ who }) => who === heeds.who)
  if (!told) return true
  const isSameClick = press !== undefined && told.press === press
  return isSameClick || (card !== undefined && now - told.at < READING_MS)
}

function take(
  current: Submission, { person, forMs, listed, by, card, press }: EventOf<'taken'>, holder: Assignee | null,
  clock: Clock,
): Transition {
  const [who, reviewer] = [identityOf(person), signatureOf(person)]
  if (holder?.who === who || isRepeated(current, press)) return { refused: 'unchanged' }
  if (holder && !by) return { refused: 'taken' }
  const next: Assignee = {
    ...reviewer, ...person.names && { names: person.names }, who, since: clock.now, until: clock.now + forMs,
    ...listed && { listed }, ...by && { by },
  }
  const given = { ...by && { by }, ...press && { press } }
  const step = followed(changed(current, {
    holder: next, cards: card ? withCard(current.cards, card) : current.cards,
    history: withEntry(current, { at: clock.now, event: 'taken', reviewer, ...given }),
  }), clock)
  return by && (by.id !== reviewer.id || by.platform !== reviewer.platform) ? telling(step, clock) : step
}

/** Notifies the new assignee once: below the card on their platform, or else below the first card. */
function telling({ next, added }: Step, { leasedUntil }: Clock): Step {
  const { cards, version, holder } = next
  const isTheirs = ({ platform }: CardRef) => holder?.names?.some(name => name.startsWith(`${platform}:`))
  const card = cards.find(isTheirs) ?? cards[0]
  if (!card) return { next, added }
  const work = tell(card, version, leasedUntil)
  return { next: { ...next, work: [...next.work, work] }, added: [...added, work] }
}

function handBack(
  current: Submission, { who, card, press }: EventOf<'returned'>, holder: Assignee | null, clock: Clock,
): Transition {
  if (!holder || isRepeated(current, press)) return { refused: 'unchanged' }
  if (holder.who !== who) return { refused: 'taken' }
  const reviewer = signatureOf(holder)
  return followed(changed(current, {
    holder: undefined, cards: card ? withCard(current.cards, card) : current.cards,
    history: withEntry(current, { at: clock.now, event: 'returned', reviewer, ...press && { press } }),
  }), clock)
}

function letGo(current: Submission, { left }: EventOf<'freed'>, clock: Clock): Transition {
  const { holder } = current
  const hasLeft = holder !== undefined && holder.who === left
  if (!holder || (!hasLeft && clock.now < holder.until)) return { refused: 'not-due' }
  const entry = { at: clock.now, event: 'freed' as const, reviewer: signatureOf(holder), left: hasLeft }
  return followed(changed(current, { holder: undefined, history: withEntry(current, entry) }), clock)
}

/** Records who was warned. Not visible on cards. */
function warn(
  current: Submission, { who, press }: EventOf<'warned'>, holder: Assignee | null, { now }: Clock,
): Transition {
  const warned = holder?.warned ?? []
  if (!holder || warned.some(each => each.who === who)) return { refused: 'unchanged' }
  const told = [...warned, { who, at: now, ...press && { press } }].slice(-WARNED)
  return { next: changed(current, { holder: { ...holder, warned: told } }), added: [] }
}

/** True if the click was sent again. What it did may have been undone in the meantime. */
function isRepeated(current: Submission, press: string | undefined): boolean {
  return press !== undefined && isPressed(current, press)
}

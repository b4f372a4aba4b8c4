import type { CardRef, Assignee, Submission, SubmissionRecord } from '../../ports/submission'
import { identityOf, signatureOf } from '../people/people'
import type { EventOf, Transition } from './events'
import { cardsOf, changed, followed, tell, withCard, withEntry, isPressed } from './record'
import type { Clock } from './settle'

/** Max time between the clicks of a double click, ms: too short to read the answer to the first click. */
const DOUBLE_CLICK_MS = 1000

/** Max people recorded as warned about one assignment */
const MAX_WARNINGS = 20

type Step = Exclude<Transition, { refused: unknown }>

type AssignmentEvent
  = EventOf<'taken'> | EventOf<'returned'> | EventOf<'freed'> | EventOf<'warned'> | EventOf<'noted'>

/**
 * Applies an event of an assignment, from its start to its end, or a note of a reviewer. `isAnothers` checks if others
 * may decide meanwhile.
 */
export function hold(current: Submission, event: AssignmentEvent, clock: Clock): Transition {
  if (event.type === 'freed') return endAssignment(current, event, clock)
  if (current.state !== 'open') return { refused: current.state === 'held' ? 'held' : 'decided' }
  if (clock.now >= current.expiresAt || !current.data) return { refused: 'expired' }
  const assignee = assigneeOf(current, clock.now)
  switch (event.type) {
    case 'taken': return take(current, event, assignee, clock)
    case 'returned': return handBack(current, event, assignee, clock)
    case 'noted': return note(current, event, clock)
    case 'warned': return warn(current, event, assignee, clock)
  }
}

/** Current assignee; null if there is none. */
export function assigneeOf({ state, holder }: SubmissionRecord, now: number): Assignee | null {
  return state === 'open' && holder && now < holder.until ? holder : null
}

/** True if the submission is assigned to somebody else, so that the caller must be warned first or may not decide. */
export function isAnothers(
  current: Submission,
  { heeds: assignmentCheck, card, press }: Pick<EventOf<'claimed'>, 'heeds' | 'card' | 'press'>, now: number,
): boolean {
  const assignee = assignmentCheck && assigneeOf(current, now)
  if (!assignee || assignee.who === assignmentCheck.who) return false
  const warning = assignmentCheck.rule === 'soft' && assignee.warned?.find(({ who }) => who === assignmentCheck.who)
  if (!warning) return true
  const isSameClick = press !== undefined && warning.press === press
  return isSameClick || (card !== undefined && now - warning.at < DOUBLE_CLICK_MS)
}

function take(
  current: Submission, { person, forMs, listed, by: assigner, card, press }: EventOf<'taken'>,
  assignee: Assignee | null, clock: Clock,
): Transition {
  const [identity, reviewer] = [identityOf(person), signatureOf(person)]
  if (assignee?.who === identity || isRepeated(current, press)) return { refused: 'unchanged' }
  if (assignee && !assigner) return { refused: 'taken' }
  const nextAssignee: Assignee = {
    ...reviewer, ...person.names && { names: person.names }, who: identity, since: clock.now, until: clock.now + forMs,
    ...listed && { listed }, ...assigner && { by: assigner },
  }
  const details = { ...assigner && { by: assigner }, ...press && { press } }
  const step = followed(changed(current, {
    holder: nextAssignee, cards: card ? withCard(current.cards, card) : current.cards,
    history: withEntry(current, { at: clock.now, event: 'taken', reviewer, ...details }),
  }), clock)
  return assigner && (assigner.id !== reviewer.id || assigner.platform !== reviewer.platform)
    ? notifyAssignee(step, clock)
    : step
}

/** Notifies the new assignee once: below the card on their platform, or else below the first card. */
function notifyAssignee({ next, added }: Step, { leasedUntil }: Clock): Step {
  const { version, holder: assignee } = next
  const cards = cardsOf(next)
  const isTheirs = ({ platform }: CardRef) => assignee?.names?.some(name => name.startsWith(`${platform}:`))
  const card = cards.find(isTheirs) ?? cards[0]
  if (!card) return { next, added }
  const work = tell(card, version, leasedUntil)
  return { next: { ...next, work: [...next.work, work] }, added: [...added, work] }
}

function handBack(
  current: Submission, { who, card, press }: EventOf<'returned'>, assignee: Assignee | null, clock: Clock,
): Transition {
  if (!assignee || isRepeated(current, press)) return { refused: 'unchanged' }
  if (assignee.who !== who) return { refused: 'taken' }
  const reviewer = signatureOf(assignee)
  return followed(changed(current, {
    holder: undefined, cards: card ? withCard(current.cards, card) : current.cards,
    history: withEntry(current, { at: clock.now, event: 'returned', reviewer, ...press && { press } }),
  }), clock)
}

function endAssignment(current: Submission, { left: leavingReviewer }: EventOf<'freed'>, clock: Clock): Transition {
  const { holder: assignee } = current
  const hasLeft = assignee !== undefined && assignee.who === leavingReviewer
  if (!assignee || (!hasLeft && clock.now < assignee.until)) return { refused: 'not-due' }
  const entry = { at: clock.now, event: 'freed' as const, reviewer: signatureOf(assignee), left: hasLeft }
  return followed(changed(current, { holder: undefined, history: withEntry(current, entry) }), clock)
}

function note(current: Submission, { action, reviewer, card, press }: EventOf<'noted'>, clock: Clock): Transition {
  if (isRepeated(current, press)) return { refused: 'unchanged' }
  return followed(changed(current, {
    cards: card ? withCard(current.cards, card) : current.cards,
    history: withEntry(current, { at: clock.now, event: 'noted', action, reviewer, ...press && { press } }),
  }), clock)
}

/** Records who was warned. Not visible on cards. */
function warn(
  current: Submission, { who, press }: EventOf<'warned'>, assignee: Assignee | null, { now }: Clock,
): Transition {
  const warnings = assignee?.warned ?? []
  if (!assignee || warnings.some(each => each.who === who)) return { refused: 'unchanged' }
  const nextWarnings = [...warnings, { who, at: now, ...press && { press } }].slice(-MAX_WARNINGS)
  return { next: changed(current, { holder: { ...assignee, warned: nextWarnings } }), added: [] }
}

/** True if the platform sent this click before. Its effect may have been undone since. */
function isRepeated(current: Submission, press: string | undefined): boolean {
  return press !== undefined && isPressed(current, press)
}

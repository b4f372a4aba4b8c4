import type { Line } from '../../../shared/types/line'
import type { Place } from '../../ports/board'
import type { Form } from '../../ports/form'
import type { Monitor } from '../../ports/monitor'
import type { Log } from '../../ports/runtime'
import type { SubmissionStore } from '../../ports/store'
import type { CardRef, Person, Submission, SubmissionRecord } from '../../ports/submission'
import type { Forbidden, Refused } from '../../ports/submission-access'
import { PeopleUnknown } from '../errors'
import { identityOf } from '../people/people'
import type { Reviewers } from '../people/reviewers'
import { endLine } from './endings'
import type { EventOf, Press } from './events'
import { belongsTo, isRoom, type PlacePorts } from './place'
import { sameCard } from './record'

export interface AccessPorts extends PlacePorts {
  store: Pick<SubmissionStore, 'get'>
  reviewers: Pick<Reviewers, 'refusal'>
  monitor: Pick<Monitor, 'misplaced' | 'incident'>
  log: Log
}

/** Attempt to do something with a submission. */
export interface Attempt {
  id: string
  /** May still be looked up, which then costs no round trip of its own. */
  person: Person | Promise<Person>
  place: Place
  /** Absent where they approved what a program asked for, or typed it. */
  press?: Press
  /** Digest of the form data that they approved so; other data are not decided. */
  content?: string
}

/** Names of attempts in the log, where they differ from the action. */
const LOGGED: Readonly<Record<string, string>> = {
  'resend': 'forward', 'undo': 'revoke forward', 'reopen': 'revoke spam', 'hand-back': 'hand back',
}

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/

/** Says nothing of the submission: whoever sent the form knows its id, and may press a button anywhere. */
const ELSEWHERE = 'This submission belongs to another channel, so nothing was changed. Decide it on its card there.'

/**
 * The submission, for somebody who may decide it here, or the refusal: the one gate before every decision.
 *
 * @param recalled its record at hand, which saves reading it
 */
export async function loadFor<Recalled extends SubmissionRecord = Submission>(
  { id, action, person, place, press }: Attempt & { action: string }, ports: AccessPorts,
  recalled: Recalled | null = null,
): Promise<Submission | Recalled | Refused> {
  const { store, presentation: { forms }, reviewers, monitor, log } = ports
  const found = recalled && belongsTo(place, recalled, ports) ? recalled : await store.get(id)
  const platform = place === 'everywhere' ? 'ops' : place[0]?.split('/')[0] ?? 'unknown'
  const attempt = { submission: id, action: LOGGED[action] ?? action, platform }
  if (!found) {
    // In other rooms anybody may press anything: that says nothing of the store.
    if (press && platform !== 'ops' && isRoom(place, forms)) {
      monitor.incident('unknown-submission')
      // Some clients choose the value of a button: only an id is logged.
      const submission = UUID.test(id) ? id : undefined
      log.warn('review.unknown', { ...attempt, submission, reviewer: (await person).id })
    }
    return { kind: 'silent', message: lateLine(null) }
  }
  if (belongsTo(place, found, ports)) {
    const form = forms.of(found.form)
    const refusal = form.reviewers && await reviewers.refusal(form, await person, attempt)
    if (!refusal) return found
    return forbidden(refusal instanceof PeopleUnknown ? 'unknown' : 'unlisted', refusal.line)
  }
  const { id: reviewer, platform: label } = await person
  const moved = press?.card && found.cards.find(card => sameCard(card, press.card!))
  monitor.misplaced(platform)
  if (moved) monitor.incident('moved-channel', `${channelOf(moved, ports)} by ${channelOf(press.card!, ports)} (${label})`)
  else monitor.incident('misplaced', label)
  log.warn('review.misplaced', { ...attempt, reviewer })
  return forbidden('elsewhere', ELSEWHERE)
}

function channelOf(card: CardRef, { board }: AccessPorts): string {
  return board.roomOf(card).replace(/^[^/]*\//, '')
}

/** Identity and rule by which the lifecycle heeds who has it; undefined where nobody takes. */
export function heedsOf(person: Person, { claim: rule }: Form): EventOf<'claimed'>['heeds'] {
  return rule && { who: identityOf(person), rule }
}

/** They may not, and alone read why. */
export function forbidden(reason: Forbidden['reason'], message: Line): Forbidden {
  return { kind: 'forbidden', reason, message }
}

/** Why it cannot be decided any more. */
export function lateLine(submission: Submission | null): Line {
  const ended = submission && endLine(submission)
  return ended || 'This submission was already decided, or its 7 days have passed.'
}

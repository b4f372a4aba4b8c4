import type { RichText } from '../../../shared/types/line'
import { visible } from '../../../shared/utils/text'
import type { EditForm, SendAgainForm, Scope } from '../../ports/board'
import type { Form } from '../../ports/form'
import type { Monitor } from '../../ports/monitor'
import type { Runtime, Log } from '../../ports/runtime'
import type { SubmissionStore } from '../../ports/store'
import type { DecisionResult, Refused, Forbidden } from '../../ports/submission-access'
import type { Action, CardRef, Person, Submission, SubmissionRecord } from '../../ports/submission'
import { PeopleUnknown } from '../errors'
import { identityOf, signatureOf } from '../people/people'
import type { Reviewers } from '../people/reviewers'
import { parseAddresses } from '../fields/addresses'
import { submitterAddress } from '../outbox/email'
import type { Applied, Edit, EventOf, Press } from '../lifecycle/events'
import { applyEdits, type Marks } from '../fields/fields'
import { assigneeOf, isAnothers } from '../lifecycle/assignment'
import type { Outbox } from '../outbox/outbox'
import { belongsTo, isRoom, type PlacePorts } from './scope'
import {
  irrevocable, notYoursLine, assignedLine, warningLine, deliveriesOf, editForm, type Presentation, endLine,
} from '../cards/card-view'
import { sameCard, isPressed, canSendAgain } from '../lifecycle/record'
import { sendAgainForm } from '../lifecycle/email-status'

export interface DecisionsPorts extends AccessPorts {
  store: SubmissionStore
  outbox: Outbox
  presentation: Presentation
  reviewers: Reviewers
  /** Time in which each decision can be taken back, ms; 0 for not at all. */
  revocableMs: Readonly<Record<Action, number>>
  /** Duration of an assignment, ms. */
  claimMs: number
  runtime: Runtime
}

/** Attempt with its action and details */
export type Intent = Attempt & (
  | { action: Action }
  /** `values` are the typed texts by input id; `shown` is what a platform's form showed, if the data was different. */
  | { action: 'edit', values: Readonly<Record<string, string>>, shown?: Marks }
  /** `undo` takes a forward back, `reopen` spam. */
  | { action: 'undo' | 'reopen' }
  | { action: 'take' | 'hand-back' }
  /** `to` holds typed addresses for an email that bounced; absent for the same ones as before. */
  | { action: 'resend', to?: string }
  /** Gives it to the assignee, even if somebody else has it. */
  | { action: 'assign', assignee: Person }
)

type Claim = Extract<Intent, { action: Action | 'edit' | 'resend' }>
type Heeds = NonNullable<ReturnType<typeof assignmentCheckOf>>
type Assignment = Extract<Intent, { action: 'take' | 'hand-back' | 'assign' }>

/** Changes that a decision makes, or errors by input id */
type Changes = { edit?: Edit, to?: readonly string[] } | { errors: Readonly<Record<string, string>> }

/** Reviewers choose another address only if the email to the known one bounced. */
const NOT_RETURNED = 'The email did not bounce. Send it again to the same address.'

const CHANGED = 'It has changed since this was approved, so nothing was done. Propose it again: the card then shows what it says now.'

const UNDONE = 'You did this already, and it was undone since. Do it anew.'

/** The assignment ended in the meantime. */
const LET_GO = 'Somebody had it just now. Try again.'

const OFF = 'Assignment is off (set TAKE=1).'

/** Decides submissions: the one way in for clicks, forms, commands, the API and the agent. */
export class Decisions {
  constructor(private readonly ports: DecisionsPorts) {}

  async decide(intent: Intent): Promise<DecisionResult> {
    const [found, person] = await Promise.all([loadFor(intent, this.ports, this.recall(intent)), intent.person])
    if ('kind' in found) return found
    switch (intent.action) {
      case 'undo':
      case 'reopen': return this.revoke(intent, intent.action === 'undo' ? 'forward' : 'spam', person, found)
      case 'take':
      case 'hand-back':
      case 'assign': return this.assign(intent, person, found)
      default: return this.claim(intent, person, found)
    }
  }

  /** The form for an edit, or for resending an email that bounced; null for any other email. */
  async open(attempt: Attempt & { action: 'edit' | 'resend' }): Promise<EditForm | SendAgainForm | Refused | null> {
    const { presentation, runtime } = this.ports
    const [found, person] = await Promise.all([loadFor(attempt, this.ports), attempt.person])
    if ('kind' in found) return found
    const isEdit = attempt.action === 'edit'
    if (isEdit && (found.state !== 'open' || !found.data)) return this.late(attempt)
    const form = isEdit ? editForm(found, presentation) : sendAgainForm(found)
    const heeds = assignmentCheckOf(person, presentation.forms.of(found.form))
    const isTaken = form && isAnothers(found, { heeds, ...attempt.press }, runtime.now())
    return isTaken ? this.warn(attempt, heeds!) : form
  }

  /** Reason why somebody may not decide this one; null if they may. */
  async refusal(attempt: Attempt): Promise<Refused | null> {
    if (this.ports.presentation.forms.all.every(({ reviewers }) => !reviewers)) return null
    const found = await loadFor({ ...attempt, action: 'approve' }, this.ports)
    return 'kind' in found && found.kind === 'forbidden' ? found : null
  }

  /**
   * Record that the store has cached, which saves reading the submission. Null if the decision depends on form data: on
   * an earlier delivery or edit, on the confirmation address, or on files to erase.
   */
  private recall({ id, action }: Intent): SubmissionRecord | null {
    const record = action === 'forward' || action === 'spam' ? this.ports.store.recall?.(id) : null
    if (!record) return null
    const { edited, delivered, sent = [], confirmation } = record
    const { confirm, files } = this.ports.presentation.forms.of(record.form)
    return edited.length + delivered.length + sent.length > 0 || (confirmation ?? confirm ?? files) ? null : record
  }

  private async claim(intent: Claim, person: Person, known: SubmissionRecord): Promise<DecisionResult> {
    const { outbox, presentation, revocableMs } = this.ports
    const { id, press } = intent
    if (intent.action === 'resend' && known.state === 'open') {
      if (known.failures.length === 0) return unchanged('Nothing to resend.')
      if (intent.to !== undefined && !canSendAgain(known)) return unchanged(NOT_RETURNED)
    }
    const action = intent.action === 'spam' ? 'spam' : 'forward'
    const form = presentation.forms.of(known.form)
    const heeds = assignmentCheckOf(person, form)
    // Recomputed for each attempt: others may write first, and the decision changes the version it then meets.
    const met: { changes: Changes } = { changes: {} }
    const applied = await outbox.apply(id, (stored) => {
      const changes = met.changes = changesOf(intent, stored, form)
      if ('errors' in changes) return []
      const data = changes.edit?.data ?? stored.data
      const confirm = form.confirm && action === 'forward' ? submitterAddress({ ...stored, data }) : undefined
      return [{
        type: 'claimed', action, reviewer: signatureOf(person), deliveries: deliveriesOf(form),
        revocableMs: revocableMs[action], heeds, confirm, content: intent.content,
        ...press, ...changes,
      }]
    }, known)
    if ('errors' in met.changes) return { kind: 'invalid', errors: met.changes.errors }
    if ('refused' in applied) {
      if (applied.refused === 'changed') return unchanged(CHANGED)
      return heeds && applied.refused === 'taken' ? this.warn(intent, heeds) : this.late(intent)
    }
    const result = this.carryOut(applied, 'claimed', person, { action, edited: 'edit' in met.changes })
    const { state, revocableUntil } = applied.submission
    if (revocableUntil === undefined) return result
    if (state === 'settling') outbox.runOnTime(applied.submission)
    return { ...result, revocableUntil }
  }

  /** Takes a decision back, while that is possible. */
  private async revoke(
    attempt: Attempt, action: Action, person: Person, known: SubmissionRecord,
  ): Promise<DecisionResult> {
    const event = { type: 'revoked', action, reviewer: signatureOf(person), press: attempt.press?.press } as const
    const applied = await this.ports.outbox.apply(attempt.id, [event], known)
    if ('refused' in applied) return this.late(attempt, irrevocable)
    return this.carryOut(applied, 'revoked', person, { action })
  }

  private async assign(intent: Assignment, person: Person, known: SubmissionRecord): Promise<DecisionResult> {
    const { store, outbox, presentation, reviewers, claimMs, runtime } = this.ports
    const { id, action, press } = intent
    const form = presentation.forms.of(known.form)
    const assignee = action === 'assign' ? intent.assignee : person
    const may = action !== 'assign' || !form.reviewers || await reviewers.has(form.reviewers, assignee)
    if (!may) return unchanged(notAssignedLine(visible(assignee.name), may))
    if (!form.claim) return unchanged(OFF)
    const who = identityOf(assignee)
    const by = action === 'assign' ? { by: signatureOf(person) } : {}
    const event: EventOf<'taken'> | EventOf<'returned'> = action === 'hand-back'
      ? { type: 'returned', who, ...press }
      : { type: 'taken', person: assignee, forMs: claimMs, listed: form.reviewers !== undefined, ...press, ...by }
    const applied = await outbox.apply(id, [event], known)
    if (!('refused' in applied)) return this.carryOut(applied, event.type, person)
    if (applied.refused !== 'taken' && applied.refused !== 'unchanged') return this.late(intent)
    const present = await store.get(id)
    const holder = present && assigneeOf(present, runtime.now())
    if (applied.refused === 'unchanged') {
      // A repeated click on a card is not answered.
      const isSo = press?.card || (holder?.who === who) === (event.type === 'taken')
      return isSo ? { kind: 'done' } : unchanged(UNDONE)
    }
    if (!holder) return unchanged(LET_GO)
    return forbidden('taken', event.type === 'taken' ? assignedLine(holder) : notYoursLine(holder))
  }

  /** Logs the decision and starts its work. */
  private carryOut(
    { submission, added }: Exclude<Applied, { refused: unknown }>, event: string, { platform, id }: Person, facts = {},
  ): { kind: 'done' } {
    const { outbox, runtime, log } = this.ports
    log.info(`submission.${event}`, { submission: submission.id, ...facts, platform, reviewer: id })
    runtime.background(outbox.run(submission, added))
    return { kind: 'done' }
  }

  /** Warns the person that somebody else has it; in soft mode they may decide from then on. */
  private async warn({ id, press }: Attempt, { who, rule }: Heeds): Promise<Refused> {
    const { store, outbox, runtime } = this.ports
    const present = await store.get(id)
    const holder = present && assigneeOf(present, runtime.now())
    const warned = { type: 'warned', who, press: press?.card && press.press } as const
    if (holder && rule === 'soft') await outbox.apply(id, [warned], present)
    return forbidden('taken', holder ? warningLine(holder, rule, press ? 'press' : 'approval') : LET_GO)
  }

  /** Reports how the submission ended, and updates the clicked card, too. */
  private async late({ id, press }: Attempt, lineOf = lateLine): Promise<Refused> {
    const present = await this.ports.store.get(id)
    if (present && press?.card) this.ports.runtime.background(this.bringInLine(press.card, present))
    const isRepeated = present && press?.press !== undefined && isPressed(present, press.press)
    return { kind: !present || isRepeated ? 'silent' : 'unchanged', message: lineOf(present) }
  }

  /** Updates a card that was clicked too late, so that nobody clicks it again. */
  private async bringInLine(card: CardRef, submission: Submission): Promise<void> {
    const { outbox } = this.ports
    const known = submission.cards.find(other => sameCard(other, card))
    const isFollowed = known ? !known.isGivenUp : submission.state === 'open'
    if (isFollowed) return outbox.refresh(submission, card)
    const late = { type: 'done', key: `late:${card.messageId}`, card } as const
    const applied = await outbox.apply(submission.id, [late], submission)
    if (!('refused' in applied)) await outbox.run(applied.submission, applied.added)
  }
}

function changesOf(intent: Claim, { data, sent }: Submission, { fields }: Form): Changes {
  if (intent.action === 'edit' && data) {
    const edit = applyEdits(data, intent.values, fields, intent.shown)
    return 'errors' in edit ? edit : { edit }
  }
  if (intent.action !== 'resend') return {}
  const last = sent?.find(({ delivery }) => delivery === 'email')?.to
  return intent.to === undefined ? { to: last } : parseAddresses(intent.to, last)
}

/** @param may null if it cannot be looked up */
function notAssignedLine(name: string, may: false | null): string {
  return may === null
    ? `Nobody can tell just now whether ${name} may decide it, so it was not given to them. Try again in a moment.`
    : `${name} may not decide it, so it was not given to them.`
}

function unchanged(message: RichText): Refused {
  return { kind: 'unchanged', message }
}

interface AccessPorts extends PlacePorts {
  store: SubmissionStore
  reviewers: Reviewers
  monitor: Monitor
  log: Log
}

/** Attempt to do something with a submission */
export interface Attempt {
  id: string
  /** May still be looked up; the lookup then runs at the same time as the read of the submission. */
  person: Person | Promise<Person>
  place: Scope
  /** Absent if they approved a proposal of a program, or typed a command. */
  press?: Press
  /** Digest of the form data that they approved; other data is not decided. */
  content?: string
}

/** Names of attempts in the log, if they differ from the action. */
const LOGGED: Readonly<Record<string, string>> = {
  'resend': 'forward', 'undo': 'revoke forward', 'reopen': 'revoke spam', 'hand-back': 'hand back',
}

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/

/** Reveals nothing about the submission: the sender of the form knows its id, and may press a button anywhere. */
const ELSEWHERE = 'This submission belongs to another channel, so nothing was changed. Decide it on its card there.'

/**
 * Loads the submission for somebody who may decide it here, or returns the refusal: the one gate before every decision.
 *
 * @param recalled cached record, which saves reading it
 */
async function loadFor<Recalled extends SubmissionRecord = Submission>(
  { id, action, person, place, press }: Attempt & { action: string }, ports: AccessPorts,
  recalled: Recalled | null = null,
): Promise<Submission | Recalled | Refused> {
  const { store, presentation: { forms }, reviewers, monitor, log } = ports
  const found = recalled && belongsTo(place, recalled, ports) ? recalled : await store.get(id)
  const platform = place === 'everywhere' ? 'ops' : place[0]?.split('/')[0] ?? 'unknown'
  const attempt = { submission: id, action: LOGGED[action] ?? action, platform }
  if (!found) {
    // In other rooms anybody may press anything, so an unknown id there says nothing about the store.
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

/** Identity and lock mode for the lifecycle's check of assignments; undefined where assignment is off. */
function assignmentCheckOf(person: Person, { claim: rule }: Form): EventOf<'claimed'>['heeds'] {
  return rule && { who: identityOf(person), rule }
}

/** Refusal that only the person concerned reads */
function forbidden(reason: Forbidden['reason'], message: RichText): Forbidden {
  return { kind: 'forbidden', reason, message }
}

/** Reason why it cannot be decided any more */
function lateLine(submission: Submission | null): RichText {
  const ended = submission && endLine(submission)
  return ended || 'This submission was already decided, or its 7 days have passed.'
}

import type { RichText } from '../../../shared/types/line'
import { english, type Texts } from '../../../shared/texts'
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
import { sameCard, isPressed, canSendAgain, SUBMISSION_TTL_DAYS } from '../lifecycle/record'
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

type DecisionIntent = Extract<Intent, { action: Action | 'edit' | 'resend' }>
type AssignmentCheck = NonNullable<ReturnType<typeof assignmentCheckOf>>
type AssignmentIntent = Extract<Intent, { action: 'take' | 'hand-back' | 'assign' }>

/** Changes that a decision makes, or errors by input id */
type Changes = { edit?: Edit, to?: readonly string[] } | { errors: Readonly<Record<string, string>> }

const CHANGED_TEXT = 'It has changed since this was approved, so nothing was done. Propose it again: the card then shows what it says now.'

/** Decides submissions: the one way in for clicks, forms, commands, the API and the agent. */
export class Decisions {
  constructor(private readonly ports: DecisionsPorts) {}

  async decide(intent: Intent): Promise<DecisionResult> {
    const [record, person] = await Promise.all([loadFor(intent, this.ports, this.recall(intent)), intent.person])
    if ('kind' in record) return record
    switch (intent.action) {
      case 'undo':
      case 'reopen': return this.revoke(intent, intent.action === 'undo' ? 'forward' : 'spam', person, record)
      case 'take':
      case 'hand-back':
      case 'assign': return this.assign(intent, person, record)
      default: return this.applyDecision(intent, person, record)
    }
  }

  /** The form for an edit, or for resending an email that bounced; null for any other email. */
  async open(attempt: Attempt & { action: 'edit' | 'resend' }): Promise<EditForm | SendAgainForm | Refused | null> {
    const { presentation, runtime } = this.ports
    const [submission, person] = await Promise.all([loadFor(attempt, this.ports), attempt.person])
    if ('kind' in submission) return submission
    const isEdit = attempt.action === 'edit'
    if (isEdit && (submission.state !== 'open' || !submission.data)) return this.rejectLate(attempt)
    const form = isEdit ? editForm(submission, presentation) : sendAgainForm(submission)
    const assignmentCheck = assignmentCheckOf(person, presentation.forms.of(submission.form))
    const isTaken = form && isAnothers(submission, { heeds: assignmentCheck, ...attempt.press }, runtime.now())
    return isTaken ? this.warn(attempt, assignmentCheck!) : form
  }

  /** Reason why somebody may not decide this one; null if they may. */
  async refusal(attempt: Attempt): Promise<Refused | null> {
    if (this.ports.presentation.forms.all.every(({ reviewers }) => !reviewers)) return null
    const outcome = await loadFor({ ...attempt, action: 'approve' }, this.ports)
    return 'kind' in outcome && outcome.kind === 'forbidden' ? outcome : null
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

  private async applyDecision(
    intent: DecisionIntent, person: Person, record: SubmissionRecord,
  ): Promise<DecisionResult> {
    const { outbox, presentation, revocableMs } = this.ports
    const { id, press } = intent
    const texts = textsFor(intent, presentation)
    if (intent.action === 'resend' && record.state === 'open') {
      if (record.failures.length === 0) return reportUnchanged(texts('card.refusal.nothingToResend'))
      // Reviewers choose another address only if the email to the known one bounced.
      const mayChooseAddress = intent.to === undefined || canSendAgain(record)
      if (!mayChooseAddress) return reportUnchanged(texts('card.refusal.notBounced'))
    }
    const action = intent.action === 'spam' ? 'spam' : 'forward'
    const form = presentation.forms.of(record.form)
    const assignmentCheck = assignmentCheckOf(person, form)
    // Recomputed for each attempt: others may write first, and the decision changes the version it then meets.
    const lastAttempt: { changes: Changes } = { changes: {} }
    const applied = await outbox.apply(id, (submission) => {
      const changes = lastAttempt.changes = changesOf(intent, submission, form, texts)
      if ('errors' in changes) return []
      const data = changes.edit?.data ?? submission.data
      const confirmationAddress = form.confirm && action === 'forward'
        ? submitterAddress({ ...submission, data })
        : undefined
      return [{
        type: 'claimed', action, reviewer: signatureOf(person), deliveries: deliveriesOf(form),
        revocableMs: revocableMs[action], heeds: assignmentCheck, confirm: confirmationAddress, content: intent.content,
        ...press, ...changes,
      }]
    }, record)
    if ('errors' in lastAttempt.changes) return { kind: 'invalid', errors: lastAttempt.changes.errors }
    if ('refused' in applied) {
      if (applied.refused === 'changed') return reportUnchanged(CHANGED_TEXT)
      return assignmentCheck && applied.refused === 'taken'
        ? this.warn(intent, assignmentCheck)
        : this.rejectLate(intent)
    }
    const result = this.carryOut(applied, 'claimed', person, { action, edited: 'edit' in lastAttempt.changes })
    const { state, revocableUntil } = applied.submission
    if (revocableUntil === undefined) return result
    if (state === 'settling') outbox.runOnTime(applied.submission)
    return { ...result, revocableUntil }
  }

  /** Takes a decision back, while that is possible. */
  private async revoke(
    attempt: Attempt, action: Action, person: Person, record: SubmissionRecord,
  ): Promise<DecisionResult> {
    const event = { type: 'revoked', action, reviewer: signatureOf(person), press: attempt.press?.press } as const
    const applied = await this.ports.outbox.apply(attempt.id, [event], record)
    if ('refused' in applied) return this.rejectLate(attempt, irrevocable)
    return this.carryOut(applied, 'revoked', person, { action })
  }

  private async assign(intent: AssignmentIntent, person: Person, record: SubmissionRecord): Promise<DecisionResult> {
    const { store, outbox, presentation, reviewers, claimMs, runtime } = this.ports
    const { id, action, press } = intent
    const form = presentation.forms.of(record.form)
    const assignee = action === 'assign' ? intent.assignee : person
    const mayDecide = action !== 'assign' || !form.reviewers || await reviewers.has(form.reviewers, assignee)
    if (!mayDecide) return reportUnchanged(notAssignedLine(visible(assignee.name), mayDecide))
    const texts = textsFor(intent, presentation)
    if (!form.claim) return reportUnchanged(texts('card.refusal.takeOff'))
    const identity = identityOf(assignee)
    const assignerFields = action === 'assign' ? { by: signatureOf(person) } : {}
    const event: EventOf<'taken'> | EventOf<'returned'> = action === 'hand-back'
      ? { type: 'returned', who: identity, ...press }
      : {
          type: 'taken', person: assignee, forMs: claimMs, listed: form.reviewers !== undefined, ...press,
          ...assignerFields,
        }
    const applied = await outbox.apply(id, [event], record)
    if (!('refused' in applied)) return this.carryOut(applied, event.type, person)
    if (applied.refused !== 'taken' && applied.refused !== 'unchanged') return this.rejectLate(intent)
    const submission = await store.get(id)
    const currentAssignee = submission && assigneeOf(submission, runtime.now())
    if (applied.refused === 'unchanged') {
      // A repeated click on a card is not answered.
      const isInEffect = press?.card || (currentAssignee?.who === identity) === (event.type === 'taken')
      return isInEffect ? { kind: 'done' } : reportUnchanged(texts('card.refusal.undone'))
    }
    // The assignment ended in the meantime.
    if (!currentAssignee) return reportUnchanged(texts('card.refusal.justTaken'))
    const lineOf = event.type === 'taken' ? assignedLine : notYoursLine
    return forbid('taken', lineOf(currentAssignee, texts))
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
  private async warn(attempt: Attempt, { who, rule }: AssignmentCheck): Promise<Refused> {
    const { store, outbox, presentation, runtime } = this.ports
    const { id, press } = attempt
    const texts = textsFor(attempt, presentation)
    const submission = await store.get(id)
    const currentAssignee = submission && assigneeOf(submission, runtime.now())
    const event = { type: 'warned', who, press: press?.card && press.press } as const
    if (currentAssignee && rule === 'soft') await outbox.apply(id, [event], submission)
    return forbid('taken', currentAssignee
      ? warningLine(currentAssignee, rule, texts, press ? 'press' : 'approval')
      : texts('card.refusal.justTaken'))
  }

  /** Reports how the submission ended, and updates the clicked card, too. */
  private async rejectLate(attempt: Attempt, lineOf = lateLine): Promise<Refused> {
    const { id, press } = attempt
    const submission = await this.ports.store.get(id)
    if (submission && press?.card) this.ports.runtime.background(this.syncCard(press.card, submission))
    const isRepeated = submission && press?.press !== undefined && isPressed(submission, press.press)
    const message = lineOf(submission, textsFor(attempt, this.ports.presentation))
    return { kind: !submission || isRepeated ? 'silent' : 'unchanged', message }
  }

  /** Updates a card that was clicked too late, so that nobody clicks it again. */
  private async syncCard(card: CardRef, submission: Submission): Promise<void> {
    const { outbox } = this.ports
    const recordedCard = submission.cards.find(other => sameCard(other, card))
    const isFollowed = recordedCard ? !recordedCard.isGivenUp : submission.state === 'open'
    if (isFollowed) return outbox.refresh(submission, card)
    const event = { type: 'done', key: `late:${card.messageId}`, card } as const
    const applied = await outbox.apply(submission.id, [event], submission)
    if (!('refused' in applied)) await outbox.run(applied.submission, applied.added)
  }
}

/** Returns the texts for an answer: cards have their language, and everything else is in English. */
function textsFor(
  { place, press }: Pick<Attempt, 'place' | 'press'>, { texts = english }: Pick<Presentation, 'texts'>,
): Texts {
  return press && place !== 'everywhere' ? texts : english
}

function changesOf(intent: DecisionIntent, { data, sent }: Submission, { fields }: Form, texts: Texts): Changes {
  if (intent.action === 'edit' && data) {
    const edit = applyEdits(data, intent.values, fields, intent.shown, texts)
    return 'errors' in edit ? edit : { edit }
  }
  if (intent.action !== 'resend') return {}
  const previousAddresses = sent?.find(({ delivery }) => delivery === 'email')?.to
  return intent.to === undefined ? { to: previousAddresses } : parseAddresses(intent.to, previousAddresses, texts)
}

/** @param mayDecide null if it cannot be looked up */
function notAssignedLine(name: string, mayDecide: false | null): string {
  return mayDecide === null
    ? `Nobody can tell just now whether ${name} may decide it, so it was not given to them. Try again in a moment.`
    : `${name} may not decide it, so it was not given to them.`
}

function reportUnchanged(message: RichText): Refused {
  return { kind: 'unchanged', message }
}

interface AccessPorts extends PlacePorts {
  presentation: PlacePorts['presentation'] & Pick<Presentation, 'texts'>
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
const LOGGED_ACTIONS: Readonly<Record<string, string>> = {
  'resend': 'forward', 'undo': 'revoke forward', 'reopen': 'revoke spam', 'hand-back': 'hand back',
}

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/

/**
 * Loads the submission for somebody who may decide it here, or returns the refusal: the one gate before every decision.
 *
 * @param cachedRecord cached record, which saves reading it
 */
async function loadFor<CachedRecord extends SubmissionRecord = Submission>(
  { id, action, person, place, press }: Attempt & { action: string }, ports: AccessPorts,
  cachedRecord: CachedRecord | null = null,
): Promise<Submission | CachedRecord | Refused> {
  const { store, presentation, presentation: { forms }, reviewers, monitor, log } = ports
  const texts = textsFor({ place, press }, presentation)
  const record = cachedRecord && belongsTo(place, cachedRecord, ports) ? cachedRecord : await store.get(id)
  const platform = place === 'everywhere' ? 'ops' : place[0]?.split('/')[0] ?? 'unknown'
  const attempt = { submission: id, action: LOGGED_ACTIONS[action] ?? action, platform }
  if (!record) {
    // In other rooms anybody may press anything, so an unknown id there says nothing about the store.
    if (press && platform !== 'ops' && isRoom(place, forms)) {
      monitor.incident('unknown-submission')
      // Some clients choose the value of a button: only an id is logged.
      const loggedId = UUID.test(id) ? id : undefined
      log.warn('review.unknown', { ...attempt, submission: loggedId, reviewer: (await person).id })
    }
    return { kind: 'silent', message: lateLine(null, texts) }
  }
  if (belongsTo(place, record, ports)) {
    const form = forms.of(record.form)
    const refusal = form.reviewers && await reviewers.refusal(form, await person, attempt, texts)
    if (!refusal) return record
    return forbid(refusal instanceof PeopleUnknown ? 'unknown' : 'unlisted', refusal.line)
  }
  const { id: reviewer, platform: label } = await person
  const movedCard = press?.card && record.cards.find(card => sameCard(card, press.card!))
  monitor.misplaced(platform)
  if (movedCard) monitor.incident(
    'moved-channel', `${channelOf(movedCard, ports)} by ${channelOf(press.card!, ports)} (${label})`,
  )
  else monitor.incident('misplaced', label)
  log.warn('review.misplaced', { ...attempt, reviewer })
  // Reveals nothing about the submission: the sender of the form knows its id, and may press a button anywhere.
  return forbid('elsewhere', texts('card.refusal.elsewhere'))
}

function channelOf(card: CardRef, { board }: AccessPorts): string {
  return board.roomOf(card).replace(/^[^/]*\//, '')
}

/** Identity and lock mode for the lifecycle's check of assignments; undefined where assignment is off. */
function assignmentCheckOf(person: Person, { claim: lockMode }: Form): EventOf<'claimed'>['heeds'] {
  return lockMode && { who: identityOf(person), rule: lockMode }
}

/** Refusal that only the person concerned reads */
function forbid(reason: Forbidden['reason'], message: RichText): Forbidden {
  return { kind: 'forbidden', reason, message }
}

/** Reason why it cannot be decided any more */
function lateLine(submission: Submission | null, texts: Texts): RichText {
  const line = submission && endLine(submission, texts)
  return line || texts('card.refusal.late', { days: SUBMISSION_TTL_DAYS })
}

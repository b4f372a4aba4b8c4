import { ACTIONS, isPlainDecision, type ActionId, type InputAction } from '../../../shared/actions'
import { SUBMISSION_TTL_MS, daysOf } from '../../../shared/lifetimes'
import type { RichText } from '../../../shared/types/line'
import { english, type Texts } from '../../../shared/texts'
import { visible } from '../../../shared/utils/text'
import type { EditForm, SendAgainForm, Scope } from '../../ports/board'
import type { Form } from '../../ports/form'
import type { DecisionResult, Refused, Forbidden } from '../../ports/submission-access'
import type { Action, CardRef, Delivery, Person, Submission, SubmissionRecord } from '../../ports/submission'
import type { Context, Presentation } from '../context'
import { PeopleUnknown } from '../errors'
import { identityOf, signatureOf } from '../people/people'
import type { Reviewers } from '../people/reviewers'
import { parseAddresses } from '../fields/addresses'
import { findSender } from '../fields/sender'
import type { Applied, Edit, EventOf, Press } from '../lifecycle/events'
import { applyEdits, type Marks } from '../fields/edits'
import { assigneeOf, isAnothers } from '../lifecycle/assignment'
import type { Outbox } from '../outbox/outbox'
import { ACTION_RULES, causes, type ActionCausing, type PlainRequest, type RuledAction } from './actions'
import { belongsTo, isRoom } from './scope'
import {
  irrevocable, notYoursLine, assignedLine, warningLine, editForm, endLine,
} from '../cards/card-view'
import { isDefault } from '../deliveries/delivery'
import { deliveriesOf, rowOf } from '../deliveries/registry'
import { sameCard, isPressed, canSendAgain, bouncedDelivery } from '../lifecycle/record'
import { sendAgainForm } from '../lifecycle/email-status'

/** Attempt with its action and details */
export type Intent = Attempt & (
  | PlainRequest<PlainAction>
  /** `values`: typed texts by input id. `shown`: digests of the values that a platform's form showed. */
  | { action: 'edit', values: Readonly<Record<string, string>>, shown?: Marks }
  /** `to`: typed addresses for an email that bounced; absent to use the same addresses again. */
  | { action: 'resend', to?: string }
  /** Assigns it to `assignee`, even if somebody else has the assignment. */
  | { action: 'assign', assignee: Person }
)

type PlainAction = Exclude<
  ActionCausing<'claimed' | 'revoked' | 'taken' | 'returned' | 'noted'>, InputAction | 'assign'
>

type DecisionIntent = Extract<Intent, { action: ActionCausing<'claimed'> }>
type AssignmentCheck = NonNullable<ReturnType<typeof assignmentCheckOf>>
type AssignmentIntent = Extract<Intent, { action: ActionCausing<'taken' | 'returned'> }>

/** Changes that a decision makes, or errors by input id */
type Changes
  = | { edit?: Edit, to?: readonly string[], toOf?: Delivery, isNowhere?: true }
    | { errors: Readonly<Record<string, string>> }

const CHANGED_TEXT = 'It changed after this was approved, so nothing was done. Propose it again: the new card shows its current content.'

/** Decides submissions. Clicks, forms, commands, the API and the agent all use this class. */
export class Decisions {
  constructor(
    private readonly context: Context, private readonly outbox: Outbox, private readonly reviewers: Reviewers,
  ) {}

  async decide(intent: Intent): Promise<DecisionResult> {
    const [record, person] = await Promise.all([
      loadFor(intent, this.context, this.reviewers, this.recall(intent)), intent.person,
    ])
    if ('kind' in record) return record
    if (causes(intent, 'revoked')) return this.revoke(intent, ACTIONS[intent.action].revokes!, person, record)
    if (causes(intent, 'taken', 'returned')) return this.assign(intent, person, record)
    if (causes(intent, 'noted')) return this.note(intent, person, record)
    return this.applyDecision(intent, person, record)
  }

  /** Returns the form for an edit, or for resending an email that bounced; null if the email did not bounce. */
  async open(attempt: Attempt & { action: InputAction }): Promise<EditForm | SendAgainForm | Refused | null> {
    const { forms, runtime } = this.context
    const [submission, person] = await Promise.all([loadFor(attempt, this.context, this.reviewers), attempt.person])
    if ('kind' in submission) return submission
    const isEdit = ACTIONS[attempt.action].input === 'fields'
    if (isEdit && (submission.state !== 'open' || !submission.data)) return this.rejectLate(attempt)
    const form = isEdit ? editForm(submission, this.context) : sendAgainForm(submission)
    const assignmentCheck = assignmentCheckOf(person, forms.of(submission.form))
    const isTaken = form && isAnothers(submission, { heeds: assignmentCheck, ...attempt.press }, runtime.now())
    return isTaken ? this.warn(attempt, assignmentCheck!) : form
  }

  /** Returns the reason why somebody may not decide this submission; null if they may. */
  async refusal(attempt: Attempt): Promise<Refused | null> {
    if (this.context.forms.all.every(({ reviewers }) => !reviewers)) return null
    const outcome = await loadFor({ ...attempt, action: 'approve' }, this.context, this.reviewers)
    return 'kind' in outcome && outcome.kind === 'forbidden' ? outcome : null
  }

  /**
   * Returns the cached record, which saves reading the submission. Null if the decision needs form data: after a
   * delivery or an edit, for conditions of destinations, for the confirmation address, or to erase files.
   */
  private recall({ id, action }: Intent): SubmissionRecord | null {
    const isPlain = action !== 'assign' && isPlainDecision(ACTIONS[action])
    const record = isPlain ? this.context.store.recall?.(id) : null
    if (!record) return null
    const { edited, delivered, sent = [], confirmation } = record
    const { confirm, files, destinations } = this.context.forms.of(record.form)
    const needsData = (confirmation ?? confirm ?? files) || destinations.some(({ when }) => when)
    return edited.length + delivered.length + sent.length > 0 || needsData ? null : record
  }

  private async applyDecision(
    intent: DecisionIntent, person: Person, record: SubmissionRecord,
  ): Promise<DecisionResult> {
    const { forms, revocableMs } = this.context
    const { id, press } = intent
    const texts = textsFor(intent, this.context)
    if (intent.action === 'resend' && record.state === 'open') {
      if (record.failures.length === 0) return reportUnchanged(texts('card.refusal.nothingToResend'))
      // Allow other addresses only if the email bounced or was refused.
      const mayChooseAddress = intent.to === undefined || canSendAgain(record)
      if (!mayChooseAddress) return reportUnchanged(texts('card.refusal.notBounced'))
    }
    const action = ACTIONS[intent.action].decides!
    const form = forms.of(record.form)
    const assignmentCheck = assignmentCheckOf(person, form)
    // Computed again for each attempt, because another process may have changed the submission.
    const lastAttempt: { changes: Changes } = { changes: {} }
    const applied = await this.outbox.apply(id, (submission) => {
      const changes = lastAttempt.changes = changesOf(intent, submission, form, texts)
      if ('errors' in changes) return []
      const data = changes.edit?.data ?? submission.data
      const deliveries = deliveriesOf(form, { ...submission, data })
      if (action === 'forward' && deliveries.length === 0) {
        changes.isNowhere = true
        return []
      }
      const confirmationAddress = form.confirm && action === 'forward'
        ? findSender({ ...submission, data }, form).address
        : undefined
      return [{
        type: 'claimed', action, reviewer: signatureOf(person), deliveries,
        revocableMs: revocableMs[action], heeds: assignmentCheck, confirm: confirmationAddress, content: intent.content,
        ...press, ...changes,
      }]
    }, record)
    if ('errors' in lastAttempt.changes) return { kind: 'invalid', errors: lastAttempt.changes.errors }
    if (lastAttempt.changes.isNowhere) return reportUnchanged(texts('card.refusal.nowhere'))
    if ('refused' in applied) {
      if (applied.refused === 'changed') return reportUnchanged(CHANGED_TEXT)
      return assignmentCheck && applied.refused === 'taken'
        ? this.warn(intent, assignmentCheck)
        : this.rejectLate(intent)
    }
    const result = this.carryOut(applied, 'claimed', person, { action, edited: 'edit' in lastAttempt.changes })
    const { state, revocableUntil } = applied.submission
    if (revocableUntil === undefined) return result
    if (state === 'settling') this.outbox.runOnTime(applied.submission)
    return { ...result, revocableUntil }
  }

  /** Undoes a decision, while that is possible. */
  private async revoke(
    attempt: Attempt, action: Action, person: Person, record: SubmissionRecord,
  ): Promise<DecisionResult> {
    const event = { type: 'revoked', action, reviewer: signatureOf(person), press: attempt.press?.press } as const
    const applied = await this.outbox.apply(attempt.id, [event], record)
    if ('refused' in applied) return this.rejectLate(attempt, irrevocable)
    return this.carryOut(applied, 'revoked', person, { action })
  }

  /** Adds a line to the history and the cards. */
  private async note(
    intent: Attempt & { action: ActionId }, person: Person, record: SubmissionRecord,
  ): Promise<DecisionResult> {
    const { id, action, press } = intent
    const event = { type: 'noted', action, reviewer: signatureOf(person), ...press } as const
    const applied = await this.outbox.apply(id, [event], record)
    if (!('refused' in applied)) return this.carryOut(applied, 'noted', person, { action })
    return applied.refused === 'unchanged' ? { kind: 'done' } : this.rejectLate(intent)
  }

  private async assign(intent: AssignmentIntent, person: Person, record: SubmissionRecord): Promise<DecisionResult> {
    const { store, forms, claimMs, runtime } = this.context
    const { id, action, press } = intent
    const form = forms.of(record.form)
    const assignee = action === 'assign' ? intent.assignee : person
    const mayDecide = action !== 'assign' || !form.reviewers || await this.reviewers.has(form.reviewers, assignee)
    if (!mayDecide) return reportUnchanged(notAssignedLine(visible(assignee.name), mayDecide))
    const texts = textsFor(intent, this.context)
    if (!form.claim) return reportUnchanged(texts('card.refusal.takeOff'))
    const identity = identityOf(assignee)
    const assignerFields = action === 'assign' ? { by: signatureOf(person) } : {}
    const event: EventOf<'taken'> | EventOf<'returned'> = causes(intent, 'returned')
      ? { type: 'returned', who: identity, ...press }
      : {
          type: 'taken', person: assignee, forMs: claimMs ?? 0, listed: form.reviewers !== undefined, ...press,
          ...assignerFields,
        }
    const applied = await this.outbox.apply(id, [event], record)
    if (!('refused' in applied)) return this.carryOut(applied, event.type, person)
    if (applied.refused !== 'taken' && applied.refused !== 'unchanged') return this.rejectLate(intent)
    const submission = await store.get(id)
    const currentAssignee = submission && assigneeOf(submission, runtime.now())
    if (applied.refused === 'unchanged') {
      // Do not answer a repeated click on a card.
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
    const { runtime, log } = this.context
    log.info(`submission.${event}`, { submission: submission.id, ...facts, platform, reviewer: id })
    runtime.background(this.outbox.run(submission, added))
    return { kind: 'done' }
  }

  /** Warns the person that somebody else is the assignee; in soft mode they may decide after that. */
  private async warn(attempt: Attempt, { who, rule }: AssignmentCheck): Promise<Refused> {
    const { store, runtime } = this.context
    const { id, press } = attempt
    const texts = textsFor(attempt, this.context)
    const submission = await store.get(id)
    const currentAssignee = submission && assigneeOf(submission, runtime.now())
    const event = { type: 'warned', who, press: press?.card && press.press } as const
    if (currentAssignee && rule === 'soft') await this.outbox.apply(id, [event], submission)
    return forbid('taken', currentAssignee
      ? warningLine(currentAssignee, rule, texts, press ? 'press' : 'approval')
      : texts('card.refusal.justTaken'))
  }

  /** Returns how the submission ended, and updates the clicked card. */
  private async rejectLate(attempt: Attempt, lineOf = lateLine): Promise<Refused> {
    const { id, press } = attempt
    const submission = await this.context.store.get(id)
    if (submission && press?.card) this.context.runtime.background(this.syncCard(press.card, submission))
    const isRepeated = submission && press?.press !== undefined && isPressed(submission, press.press)
    const message = lineOf(submission, textsFor(attempt, this.context))
    return { kind: !submission || isRepeated ? 'silent' : 'unchanged', message }
  }

  /** Updates a card that was clicked too late, so that nobody clicks it again. */
  private async syncCard(card: CardRef, submission: Submission): Promise<void> {
    const recordedCard = submission.cards.find(other => sameCard(other, card))
    const isFollowed = recordedCard ? !recordedCard.isGivenUp : submission.state === 'open'
    if (isFollowed) return this.outbox.refresh(submission, card)
    const event = { type: 'done', key: `late:${card.messageId}`, card } as const
    const applied = await this.outbox.apply(submission.id, [event], submission)
    if (!('refused' in applied)) await this.outbox.run(applied.submission, applied.added)
  }
}

/** Returns the texts for an answer: in the language of cards if a card was clicked, otherwise in English. */
function textsFor(
  { place, press }: Pick<Attempt, 'place' | 'press'>, { texts = english }: Presentation,
): Texts {
  return press && place !== 'everywhere' ? texts : english
}

function changesOf(intent: DecisionIntent, submission: Submission, form: Form, texts: Texts): Changes {
  const { data } = submission
  if (intent.action === 'edit' && data) {
    const edit = applyEdits(data, intent.values, form, intent.shown, texts)
    return 'errors' in edit ? edit : { edit }
  }
  if (intent.action !== 'resend') return {}
  const email = bouncedDelivery(submission) ?? submission.sent?.find(({ delivery }) => rowOf(delivery)?.hasAddresses)
  const previousAddresses = email?.refused ?? email?.to
  const toOf = email && !isDefault(email.delivery) ? { toOf: email.delivery } : {}
  if (intent.to === undefined) return { to: previousAddresses, ...toOf }
  return { ...parseAddresses(intent.to, previousAddresses, texts), ...toOf }
}

/** @param mayDecide null if it cannot be looked up */
function notAssignedLine(name: string, mayDecide: false | null): string {
  return mayDecide === null
    ? `Cannot check just now whether ${name} may decide it, so it was not assigned. Try again in a moment.`
    : `${name} may not decide it, so it was not assigned.`
}

function reportUnchanged(message: RichText): Refused {
  return { kind: 'unchanged', message }
}

/** Attempt to do something with a submission */
export interface Attempt {
  id: string
  /** Promise while the person is being looked up, in parallel with reading the submission. */
  person: Person | Promise<Person>
  place: Scope
  /** Absent for an approved proposal of a program, and for a typed command. */
  press?: Press
  /** Digest of the form data that they approved. If the data has changed since, the decision is refused. */
  content?: string
}

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/

/**
 * Loads a submission if the person may decide it here, or returns the refusal. Every decision passes this check.
 *
 * @param cachedRecord record from the cache, which saves a read
 */
async function loadFor<CachedRecord extends SubmissionRecord = Submission>(
  { id, action, person, place, press }: Attempt & { action: RuledAction | 'approve' }, context: Context,
  reviewers: Reviewers,
  cachedRecord: CachedRecord | null = null,
): Promise<Submission | CachedRecord | Refused> {
  const { store, forms, monitor, log } = context
  const texts = textsFor({ place, press }, context)
  const record = cachedRecord && belongsTo(place, cachedRecord, context) ? cachedRecord : await store.get(id)
  const platform = place === 'everywhere' ? 'ops' : place[0]?.split('/')[0] ?? 'unknown'
  const loggedAction = action === 'approve' ? action : ACTION_RULES[action].logged ?? action
  const attempt = { submission: id, action: loggedAction, platform }
  if (!record) {
    // Other rooms are ignored: anybody there can send any id, so an unknown id does not mean lost data.
    if (press && platform !== 'ops' && isRoom(place, forms)) {
      monitor.incident('unknown-submission')
      // Log only valid ids: some clients can choose the value of a button.
      const loggedId = UUID.test(id) ? id : undefined
      log.warn('review.unknown', { ...attempt, submission: loggedId, reviewer: (await person).id })
    }
    return { kind: 'silent', message: lateLine(null, texts) }
  }
  if (belongsTo(place, record, context)) {
    const form = forms.of(record.form)
    const refusal = form.reviewers && await reviewers.refusal(form, await person, attempt, texts)
    if (!refusal) return record
    return forbid(refusal instanceof PeopleUnknown ? 'unknown' : 'unlisted', refusal.line)
  }
  const { id: reviewer, platform: label } = await person
  const movedCard = press?.card && record.cards.find(card => sameCard(card, press.card!))
  monitor.misplaced(platform)
  if (movedCard) monitor.incident(
    'moved-channel', `${channelOf(movedCard, context)} by ${channelOf(press.card!, context)} (${label})`,
  )
  else monitor.incident('misplaced', label)
  log.warn('review.misplaced', { ...attempt, reviewer })
  // Reveal nothing about the submission: the form's sender knows its id, and can send it from any room.
  return forbid('elsewhere', texts('card.refusal.elsewhere'))
}

function channelOf(card: CardRef, { board }: Context): string {
  return board.roomOf(card).replace(/^[^/]*\//, '')
}

/** Identity and lock mode for the lifecycle's check of assignments; undefined if assignment is off. */
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
  return line || texts('card.refusal.late', { days: daysOf(SUBMISSION_TTL_MS) })
}

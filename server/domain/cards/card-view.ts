import { ACTION_IDS, ACTIONS, isOffered, type ActionFacts, type ActionId } from '../../../shared/actions'
import { SUBMISSION_TTL_MS, inDays } from '../../../shared/lifetimes'
import type { RichText } from '../../../shared/types/line'
import { dateTime, rich, exactTime, timeOfDay } from '../../../shared/utils/line'
import { visible } from '../../../shared/utils/text'
import type { CardAction, CardState, CardView, EditForm } from '../../ports/board'
import { FILE_LOST } from '../../ports/delivery'
import type { Form } from '../../ports/form'
import {
  type Submission, type Delivery, type DeliveryFailure, type Work, INTERIM_OUTCOMES, type AuditLine,
  type DecisionOutcome, type HistoryEntry, type Reviewer, type SubmissionRecord, type LockMode, type Assignee,
} from '../../ports/submission'
import type { Presentation } from '../context'
import { envelopeFields } from '../intake/envelope'
import { editInputs, inOrder, markOf, readFields } from '../fields/fields'
import { fileFields, fileLinks, filePictures } from '../files/file-texts'
import { isDelivery, isRevocable, canSendAgain, isLost } from '../lifecycle/record'
import { deletionNotes } from '../lifecycle/settle'
import { byOrder, deliveriesOf, deliveryName, deliveryNames, leftOf, targetsOf } from '../deliveries/registry'
import { decisionLine } from './decision-line'
import { receiptNotes } from '../lifecycle/email-status'

/** Builds the card of a submission, in any state. */
export function cardView(submission: Submission, presentation: Presentation): CardView {
  const form = formOf(submission, presentation)
  return {
    submissionId: submission.id,
    title: cardTitle(submission, form),
    state: cardState(submission),
    fields: submission.data && submission.decision?.action !== 'spam'
      ? [...envelopeFields(submission, form), ...readFields(submission, form), ...fileFields(submission, form)]
      : [],
    ...fileLinks(submission, presentation.files), ...filePictures(submission, form, presentation.files),
    notes: cardNotes(submission, form),
    actions: actionsOf(submission, form),
    url: submissionUrl(submission.id, presentation),
  }
}

/** Reminder in the card's thread, some time before the submission expires. */
export function reminder({ expiresAt }: Submission): RichText {
  return rich`Nobody has decided this submission yet. It expires and is erased on ${dateTime(expiresAt)}.`
}

/** Card of a submission of which not even a trace is kept: it has no buttons. */
export function goneCardView(id: string, presentation: Presentation): CardView {
  return {
    submissionId: id, title: TITLES.gone, state: 'gone', fields: [], notes: ['Not kept any more.'], actions: [],
    url: submissionUrl(id, presentation),
  }
}

export function editForm(submission: Submission, presentation: Presentation): EditForm {
  const { labels, fields } = presentation.forms.of(submission.form)
  return {
    inputs: inOrder(editInputs(submission.data ?? {}, fields), labels).map(
      input => ({ ...input, label: visible(input.label), mark: markOf(input.value) }),
    ),
    url: submissionUrl(submission.id, presentation),
  }
}

function cardTitle(submission: Submission, { name }: Form): string {
  const stateTitle = TITLES[cardState(submission)]
  return name ? `${stateTitle}: ${name}` : stateTitle
}

const TITLES: Record<CardState, string> = {
  new: 'New Form Submission', failed: 'Failed Form Submission', forwarding: 'Form Submission being forwarded',
  forwarded: 'Form Submission forwarded', spam: 'Form Submission marked as spam', expired: 'Expired Form Submission',
  erased: 'Form Submission erased', gone: 'Form Submission',
}

function cardState({ state, decision, erased, failures }: Submission): CardState {
  if (erased) return 'erased'
  if (state === 'expired') return 'expired'
  if (!decision) return failures.length > 0 ? 'failed' : 'new'
  if (decision.action === 'spam') return 'spam'
  return state === 'settled' ? 'forwarded' : 'forwarding'
}

function cardNotes(submission: Submission, form: Form): RichText[] {
  const { state, decision, erased, data, edited } = submission
  if (erased) return [erasureLine(erased)]
  if (state === 'expired') return [`Expired — nobody decided in ${inDays(SUBMISSION_TTL_MS)}.`]
  if (!decision) {
    return [
      ...holderNotes(submission, form), ...notedNotes(submission), ...revokedNotes(submission),
      ...reopenedNotes(submission, form), ...deletionNotes(submission),
    ]
  }
  if (decision.action === 'spam') {
    return [decisionLine(submission), ...retentionNotes(submission), ...sentNotes(submission)]
  }
  // A card without form data sums the decision up in one line.
  if (!data) return [decisionLine(submission)]
  const editedLabels = edited.map(key => (Object.hasOwn(form.labels, key) ? form.labels[key] : visible(key)))
  const editNotes = edited.length > 0 ? [`Edited: ${editedLabels.join(', ')}`] : []
  return [decisionLine(submission), ...progressNotes(submission, form), ...retryNotes(submission), ...editNotes]
}

export function submissionUrl(id: string, { siteUrl }: Presentation): string | null {
  return siteUrl === null ? null : `${siteUrl}/submissions/${id}`
}

/** Returns the form, with the email addresses that the reviewer chose instead, if any. */
export function formOf({ form: key, decision }: Submission, { forms }: Presentation): Form {
  const form = forms.of(key)
  return decision?.to ? { ...form, to: decision.to } : form
}

/** Returns notes on the progress of a forward: what was sent, what is being sent, what was given up. */
export function progressNotes(submission: Submission, form: Form): RichText[] {
  const { delivered, failures, sent = [] } = submission
  const recipientsOf = (delivery: Delivery) => (
    sent.find(each => each.delivery === delivery)?.to ?? targetsOf(delivery, form)
  )
  return [
    ...targetNotes('Sent to', [...delivered].sort(byOrder(each => each)).flatMap(recipientsOf)),
    ...sendingNotes(submission, form),
    ...receiptNotes(submission),
    ...submission.confirmation?.at ? [rich`Confirmed to its sender on ${dateTime(submission.confirmation.at)}`] : [],
    // While the decision can be undone, the failures are from an earlier round: leave them out.
    ...isRevocable(submission) ? [] : failureNotes(failures),
    ...sent.filter(each => !delivered.includes(each.delivery) && !isLost(each)).map(
      ({ to, at }) => rich`Corrects what was sent to ${joinNames(to)} on ${dateTime(at)}`,
    ),
  ]
}

function sendingNotes(submission: Submission, form: Form): RichText[] {
  const { revocableUntil } = submission
  const targets = pendingDeliveries(submission).filter(({ reason }) => reason === undefined).flatMap(
    ({ kind }) => targetsOf(kind, form),
  )
  return revocableUntil === undefined
    ? targetNotes('Being sent to', targets)
    : targetNotes('Goes to', targets).map(line => rich`${line} at ${exactTime(revocableUntil)}`)
}

/** Returns notes on failed deliveries that will be retried, with the time of the next attempt. */
function retryNotes(submission: Submission): RichText[] {
  return pendingDeliveries(submission).flatMap(
    ({ kind, reason, dueAt }) => reason === undefined
      ? []
      : [rich`${deliveryName(kind)} failed: ${reason} Next attempt on ${dateTime(dueAt)}`],
  )
}

/** Returns notes after deliveries were given up: what failed, what was sent, and what another decision does. */
function reopenedNotes(submission: Submission, form: Form): RichText[] {
  const { failures, delivered } = submission
  if (failures.length === 0) return []
  const remainingDeliveries = leftOf(submission, form)
  const isPartial = delivered.length > 0 && remainingDeliveries.length > 0
  const button = canSendAgain(submission) ? 'Send' : 'Forward'
  return [
    ...failureNotes(failures),
    ...sentNotes(submission),
    ...receiptNotes(submission),
    isPartial
      ? `${button} again to send only the ${deliveryNames(remainingDeliveries)}: the ${deliveryNames(delivered)} has it. Edited values go to ${deliveriesOf(form).length > 2 ? 'all' : 'both'}`
      : 'Decide again to retry',
    ...failures.filter(({ reason }) => reason === FILE_LOST).map(
      ({ delivery }) => `The ${deliveryNames([delivery])} then goes without that file`,
    ),
  ]
}

/** Returns the label of the forward button if some deliveries were made before. */
export function retryLabel(submission: Submission, form: Form): string | undefined {
  const remainingDeliveries = leftOf(submission, form)
  return submission.delivered.length > 0 && remainingDeliveries.length > 0
    ? `Retry ${deliveryNames(remainingDeliveries)}`
    : undefined
}

function actionsOf(submission: Submission, form: Form): CardAction[] {
  const assignee = submission.holder ? 'viewer' : 'nobody'
  const facts = { ...actionFacts(submission), ...form.claim && { assignee } as const }
  return ACTION_IDS.flatMap((id) => {
    const { card, label, isRetry } = ACTIONS[id]
    if (!card || !isOffered(id, facts)) return []
    return [{ id: card.id, label: (isRetry && retryLabel(submission, form)) || label }]
  })
}

/** Returns the facts that decide which actions it has, but for the assignee and for what is left to erase. */
export function actionFacts(submission: Submission): ActionFacts {
  const { state, decision } = submission
  const revocableState = decision?.action === 'spam' ? 'spam' : 'leaving'
  return {
    state: isRevocable(submission) ? revocableState : state === 'open' || state === 'held' ? state : null,
    isReturned: canSendAgain(submission), isErasable: false,
  }
}

/** Returns the time when the data of spam is erased; until then the mark can be undone. */
function retentionNotes(submission: Submission): RichText[] {
  return isRevocable(submission) ? [rich`Its data is erased on ${dateTime(submission.revocableUntil!)}`] : []
}

/** Returns notes on what was sent before somebody changed the decision, or before other deliveries failed. */
function sentNotes({ sent = [], delivered }: Submission): RichText[] {
  return [...sent].sort(byOrder(({ delivery }) => delivery)).map((each) => {
    const suffix = isLost(each) ? ', and came back' : delivered.includes(each.delivery) ? '' : ', with other values'
    return rich`Sent to ${joinNames(each.to)} on ${dateTime(each.at)}${suffix}`
  })
}

function pendingDeliveries({ work }: Submission): (Work & { kind: Delivery })[] {
  return work.filter((item): item is Work & { kind: Delivery } => isDelivery(item.kind)).sort(byOrder(({ kind }) => (
    kind
  )))
}

function failureNotes(failures: readonly DeliveryFailure[]): string[] {
  return failures.map(({ delivery, reason }) => `${deliveryName(delivery)} failed: ${reason}`)
}

function targetNotes(prefix: string, targets: readonly string[]): string[] {
  return targets.length > 0 ? [`${prefix} ${joinNames(targets)}`] : []
}

function joinNames(names: readonly string[]): string {
  return names.join(' and ')
}

const ENDINGS: Record<DecisionOutcome, string> = {
  forwarded: 'Forwarded', edited: 'Edited and forwarded', spam: 'Marked as spam',
  expired: `Expired: nobody decided in ${inDays(SUBMISSION_TTL_MS)}`, failed: 'Failed', revoked: 'Taken back',
  released: 'Released', erased: 'Erased',
}

/** Returns the outcome, e.g. `Forwarded by Ada on Slack, 21 Nov 2026, 12:03 UTC.`; empty while it waits. */
export function endLine(submission: SubmissionRecord): RichText {
  const { state, erased, expiresAt } = submission
  if (erased) return rich`${erasureLine(erased)}.`
  if (state === 'expired') return outcomeLine('expired', { reviewer: null, at: expiresAt })
  const decisionText = decisionLine(submission)
  return decisionText && rich`${decisionText}.`
}

/** Returns why a decision cannot be undone, or not any more. */
export function irrevocable(submission: Submission | null): RichText {
  if (submission?.state === 'open') return 'It waits for a decision already.'
  if (submission?.state === 'settling') return 'Too late: it is being sent.'
  const lastSentAt = submission?.sent?.map(({ at }) => at).sort().at(-1)
  const isForward = submission?.decision?.action === 'forward'
  if (isForward && lastSentAt !== undefined) return rich`Too late: it was sent on ${dateTime(lastSentAt)}.`
  const outcomeText = submission && endLine(submission)
  return outcomeText ? rich`Too late: its data is erased. ${outcomeText}` : 'This submission is not kept any more.'
}

/** Returns the last outcome of each submission, latest first. Leaves out submissions that are undone or failed. */
export function endedOf(lines: readonly AuditLine[]): AuditLine[] {
  const lastLines = new Map(lines.toReversed().map(line => [line.id, line]))
  return [...lastLines.values()].filter(({ outcome }) => !INTERIM_OUTCOMES.includes(outcome)).sort(
    (a, b) => b.at - a.at || (a.id < b.id ? 1 : -1),
  )
}

/** Returns how submissions were decided or expired, even if they were erased later. */
export function decidedOf(lines: readonly AuditLine[]): AuditLine[] {
  return endedOf(lines.filter(({ outcome }) => outcome !== 'erased'))
}

/** Returns the text for an audit line, e.g. `Forwarded by Ada on Slack, 21 Nov 2026, 12:03 UTC.`. */
export function outcomeLine(outcome: DecisionOutcome, { reviewer, at }: Pick<AuditLine, 'reviewer' | 'at'>): RichText {
  return rich`${ENDINGS[outcome]}${reviewer ? byReviewer(reviewer) : ''}, ${dateTime(at)}.`
}

function byReviewer({ name, platform }: Reviewer): string {
  return ` by ${visible(name)} on ${platform}`
}

/** Returns who erased it, and when. */
function erasureLine({ reviewer, at }: NonNullable<Submission['erased']>): RichText {
  return rich`Erased by ${visible(reviewer.name)} on ${reviewer.platform}, ${dateTime(at)}`
}

type RevokedEntry = HistoryEntry & { event: 'revoked' }

/** Returns who undid the last decision, for a card that waits for another one. */
function revokedNotes({ history }: Submission): RichText[] {
  const lastEntry = history.findLast(({ event }) => event === 'claimed' || event === 'revoked')
  return lastEntry?.event === 'revoked' ? [rich`${revokedText(lastEntry)}, ${dateTime(lastEntry.at)}`] : []
}

export function revokedText({ action, reviewer: { name, platform } }: RevokedEntry): string {
  return `${action === 'spam' ? 'Not spam, says' : 'Taken back by'} ${visible(name)} on ${platform}`
}

/** Returns what reviewers noted last, for a card that waits for a decision. */
function notedNotes({ history }: Submission): RichText[] {
  const lastEntry = history.findLast(entry => entry.event === 'noted')
  return lastEntry ? [rich`${notedText(lastEntry)}, ${dateTime(lastEntry.at)}`] : []
}

/** Returns a line such as `Snoozed by Ada on Slack`. An action that is no longer in the table shows as its name. */
export function notedText({ action, reviewer }: HistoryEntry & { event: 'noted' }): string {
  return `${ACTIONS[action as ActionId]?.note ?? action}${byReviewer(reviewer)}`
}

/** Returns a note on the assignee, if the form has assignment. */
export function holderNotes({ holder }: SubmissionRecord, { claim }: Form): RichText[] {
  return claim && holder ? [rich`${visible(holder.name)} has it (${holder.platform}, ${timeOfDay(holder.since)})`] : []
}

/** Returns the news for a new assignee; empty if they took it themselves. */
export function assignedNews({ name, by }: Assignee): string {
  return by ? `${visible(name)}, this is yours now: ${visible(by.name)} has given it to you.` : ''
}

/** Tells a person who wants to take a submission that it is already assigned. */
export function assignedLine(assignee: Assignee): RichText {
  return rich`${assigneeText(assignee)}.`
}

/** Way to decide: with a button or form, or by approving a program's request. */
export type DecisionWay = 'press' | 'approval'

const OVERRIDE_HINTS: Record<DecisionWay, string> = {
  press: 'Press the button again to decide anyway.',
  approval: 'Nothing was decided. Whoever approved it may decide anyway: ask for the same once more, for them to approve.',
}

/** Tells a person who decides that somebody else is assigned: as a warning, or as a refusal. */
export function warningLine(assignee: Assignee, lockMode: LockMode, way: DecisionWay = 'press'): RichText {
  return lockMode === 'soft'
    ? rich`${assigneeText(assignee)}. ${OVERRIDE_HINTS[way]}`
    : rich`${assigneeText(assignee)}. Others may decide when they hand it back, or from ${timeOfDay(assignee.until)} on.`
}

/** Error for handing back someone else's submission. */
export function notYoursLine(assignee: Assignee): RichText {
  return rich`${assigneeText(assignee)}: nobody else can hand it back.`
}

function assigneeText({ name, platform, since }: Assignee): RichText {
  return rich`${visible(name)} (${platform}) has it since ${timeOfDay(since)}`
}

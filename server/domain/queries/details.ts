import { ASSIGNMENT_ACTIONS, isOffered, REVOKING_ACTIONS } from '../../../shared/actions'
import { inDays, REMINDER_LEAD_MS } from '../../../shared/lifetimes'
import type { RichText } from '../../../shared/types/line'
import type { OpsRole } from '../../../shared/types/session'
import type { FieldDetails, HistoryLine, SubmissionDetails } from '../../../shared/types/submissions'
import type { Form } from '../../ports/form'
import type { AttemptFacts, HistoryEntry, Person, Reviewer, Submission } from '../../ports/submission'
import type { Context, Presentation } from '../context'
import { SubmissionEnded } from '../errors'
import { identityOf } from '../people/people'
import type { Reviewers } from '../people/reviewers'
import { actionFacts, endLine, notedText, revokedText, cardView } from '../cards/card-view'
import { progressNotes, retryLabel } from '../cards/delivery-notes'
import { deliveriesOf, deliveryName, formOf, leftOf, targetsOf } from '../deliveries/registry'
import { envelopeFields } from '../intake/envelope'
import type { Answer } from '../fields/answers'
import { editInputs } from '../fields/edits'
import { editOf, inOrder, originalOf } from '../fields/fields'
import { isBranch } from '../fields/paths'
import { readingOf } from '../fields/reading'
import { ruleFor } from '../fields/rules'
import { displayText, editText, fieldText } from '../fields/values'
import { fileDetails } from '../files/file-texts'
import { assigneeOf } from '../lifecycle/assignment'
import {
  cardLocations, ending, holderLine, deliveryProblem, orUnavailable, stateOf, workName,
} from './rows'
import { roomName, type Named } from '../review/scope'
import { isRevocable, outstanding, dataLivesUntil, listOf, isOver } from '../lifecycle/record'
import { receiptText, sendAgainForm } from '../lifecycle/email-status'

/** Person who looks at a submission. */
export interface DetailsViewer extends Person { role: OpsRole | null }

/** Tells reviewers why a submission is quarantined, and how to handle it. */
const HELD_NOTES = {
  honeypot: 'Held because its hidden field was filled in: usually by a program, sometimes by autofill. It has no card, and nobody was notified. Release it to decide it, or erase it.',
  check: 'Held because its sender did not pass the human check: usually a program, sometimes a browser without scripts. It has no card, and nobody was notified. Release it to decide it, or erase it.',
}

/** @throws SubmissionGone if it never existed, StoreUnavailable; SubmissionEnded, with known details, if it is over */
export async function showSubmission(
  id: string, viewer: DetailsViewer, context: Context, reviewers: Reviewers,
): Promise<SubmissionDetails> {
  const { store, board, runtime, files, revocableMs } = context
  const [revision, submission] = await orUnavailable(Promise.all([store.revision(), store.get(id)]))
  if (!submission) throw await ending(id, store, message => new SubmissionEnded(message))
  const { state, receivedAt, cards, data } = submission
  const now = runtime.now()
  const roomNameOf = roomName(board, cards)
  const form = formOf(submission, context)
  const isListed = !form.reviewers || await reviewers.has(form.reviewers, viewer)
  const mayDecide = viewer.role === null ? null : viewer.role === 'reviewer' && isListed
  const details: SubmissionDetails = {
    id, revision, receivedAt, now,
    expiresAt: dataLivesUntil(submission),
    state: state === 'expired' ? state : stateOf(submission),
    open: state === 'open' && data !== null,
    mayDecide,
    mayErase: mayDecide === true && isShownSomewhere(submission),
    taking: mayDecide && form.claim ? assignmentActionOf(submission, viewer, now) : null,
    erased: data === null,
    erasedAt: submission.erased?.at ?? (state === 'expired' ? submission.expiresAt : null),
    ...fieldDetails(submission, form),
    files: fileDetails(submission, form, files),
    notes: [
      ...notesOf(submission, context),
      ...envelopeFields(submission, form).map(({ label, value }) => `${label}: ${value}`),
    ],
    destinations: deliveriesOf(form, submission).flatMap(delivery => targetsOf(delivery, form)),
    retry: retryOf(submission, form),
    revocation: revocationOf(submission),
    revocableMs,
    sendAgain: sendAgainForm(submission)?.to.join(', ') ?? null,
    form: form.name ?? null,
    cards: await cardLocations(cards, context),
    problem: deliveryProblem(submission, roomNameOf),
    holder: holderLine(submission, context),
    history: submission.history.map(entry => historyLine(entry, roomNameOf)),
    work: outstanding(submission).map(
      item => (
        { what: workName(item, roomNameOf), attempts: item.attempts, reason: item.reason ?? null, dueAt: item.dueAt }
      ),
    ),
  }
  if (isEnded(submission)) throw new SubmissionEnded(endLine(submission), details)
  return details
}

/** True if it can be erased: form data is stored or on cards, or the confirmation address is stored. */
function isShownSomewhere({ state, data, decision, cards, confirmation }: Submission): boolean {
  const hasAddress = confirmation?.to !== undefined
  return state !== 'erased' && (data !== null || hasAddress || (decision?.action === 'forward' && cards.length > 0))
}

/** True if it has ended. Not yet true while its decision can be undone or it waits for an email receipt. */
function isEnded(submission: Submission): boolean {
  const { state, data, keptUntil } = submission
  const isShown = listOf(submission) !== null || (data !== null && keptUntil !== undefined)
  return state === 'erased' || (state === 'settled' && !isShown) || isOver(submission)
}

function notesOf(submission: Submission, presentation: Presentation): readonly RichText[] {
  const { state, decision, erased, history } = submission
  const failedCheck = history.some(entry => entry.event === 'held' && entry.failedCheck)
  if (state === 'held') return [failedCheck ? HELD_NOTES.check : HELD_NOTES.honeypot]
  return decision || erased
    ? [endLine(submission), ...progressNotes(submission, formOf(submission, presentation))]
    : cardView(submission, { ...presentation, texts: undefined }).notes
}

function revocationOf(submission: Submission): SubmissionDetails['revocation'] {
  if (!isRevocable(submission)) return null
  const facts = actionFacts(submission)
  return { action: REVOKING_ACTIONS.find(id => isOffered(id, facts))!, until: submission.revocableUntil! }
}

function assignmentActionOf(submission: Submission, viewer: Person, now: number): SubmissionDetails['taking'] {
  if (!submission.data) return null
  const holder = assigneeOf(submission, now)
  const assignee = holder ? holder.who === identityOf(viewer) ? 'viewer' : 'another' : 'nobody'
  return ASSIGNMENT_ACTIONS.find(id => isOffered(id, { ...actionFacts(submission), assignee })) ?? null
}

function retryOf(submission: Submission, form: Form): SubmissionDetails['retry'] {
  const label = retryLabel(submission, form)
  return label && submission.state === 'open'
    ? { label, destinations: leftOf(submission, form).flatMap(delivery => targetsOf(delivery, form)) }
    : null
}

export function historyLine(entry: HistoryEntry, roomNameOf: Named): HistoryLine {
  const failure = entry.event === 'failed' ? entry : null
  const attempt: AttemptFacts = failure ?? (entry.event === 'delivered' ? entry : {})
  const { count, since } = failure ?? {}
  return {
    at: entry.at, event: entry.event, text: historyText(entry, roomNameOf), reason: failure?.reason ?? null,
    againAt: failure?.again ?? null, verdict: entry.event === 'receipt' ? entry.receipt.verdict : null,
    ms: attempt.ms ?? null, status: attempt.status ?? null, answer: attempt.answer ?? null,
    repeated: count !== undefined && since !== undefined ? { count, since } : null,
  }
}

function historyText(entry: HistoryEntry, roomNameOf: Named): string {
  switch (entry.event) {
    case 'received': return 'Received'
    case 'held': return entry.failedCheck
      ? 'Held: its sender did not pass the human check'
      : 'Held: its hidden field was filled in'
    case 'released': return `Released by ${reviewerText(entry.reviewer)}`
    case 'erased': return `Erased by ${reviewerText(entry.reviewer)}`
    case 'posted': return `Card posted on ${roomNameOf(entry.room ?? entry.platform)}`
    case 'card-deleted': return `Card deleted on ${roomNameOf(entry.room)}`
    case 'reminded': return `Reminded: ${inDays(REMINDER_LEAD_MS)} left`
    case 'expired': return 'Expired, data erased'
    case 'claimed': return `${decisionText(entry)} by ${reviewerText(entry.reviewer)}${recipientsText(entry)}`
    case 'delivered': return `${deliveryName(entry.delivery)} delivered${deliveryText(entry)}`
    case 'confirmed': return 'Confirmed to its sender'
    case 'receipt': return `Email: ${receiptText(entry.receipt)}`
    case 'failed': return `${workName(entry, roomNameOf)} failed`
    case 'reopened': return 'Open for a decision again'
    case 'taken': return `${entry.by ? 'Given to' : 'Taken by'} ${reviewerText(entry.reviewer)}${entry.by ? ` by ${reviewerText(entry.by)}` : ''}`
    case 'returned': return `Handed back by ${reviewerText(entry.reviewer)}`
    case 'freed': return `Unassigned ${reviewerText(entry.reviewer)}: ${entry.left ? 'no longer a reviewer' : 'the time is over'}`
    case 'revoked': return revokedText(entry)
    case 'noted': return notedText(entry)
  }
}

function reviewerText({ name, platform }: Reviewer): string {
  return `${name} on ${platform}`
}

/** Returns the recorded answer of an endpoint, e.g. `, answered 200, at attempt 2`. */
function deliveryText({ status, attempt = 1 }: HistoryEntry & { event: 'delivered' }): string {
  return `${status === undefined ? '' : `, answered ${status}`}${attempt === 1 ? '' : `, at attempt ${attempt}`}`
}

function recipientsText({ to }: HistoryEntry & { event: 'claimed' }): string {
  return to ? `, to ${to.join(', ')}` : ''
}

function decisionText({ action, edited }: HistoryEntry & { event: 'claimed' }): string {
  return action === 'spam' ? 'Marked as spam' : edited ? 'Edited and forwarded' : 'Forwarded'
}

/** Returns everything that was sent except files: answers with their inputs, technical details, and the raw data */
function fieldDetails(submission: Submission, form: Form): Pick<SubmissionDetails, 'fields' | 'technical' | 'sent'> {
  const { data } = submission
  const { answers, technical } = readingOf(data, form)
  const inputs = editInputs(data, form)
  const fields = answers.map((answer, position): FieldDetails => {
    const rule = ruleFor(answer, form.fields)
    const { rule: choices, ...input } = inputs[position]!
    const { type, options } = rule.type ? rule : choices ?? {}
    const kind = kindOf(answer, input.value)
    const shownText = kind === 'tree' ? input.value : displayText(answer, rule)
    const { original } = originalOf(submission, answer)
    return {
      ...input, kind, ...editOf(submission, answer, rule),
      ...kind === 'tree' && original !== undefined && { was: JSON.stringify(original) },
      ...type && { type, options }, ...shownText !== input.value && { shown: shownText },
    }
  })
  // An answer that has a name in its path is a part of its field: `value` of `{ value: 'Hi', type: 'text' }`.
  const isWhole = ({ key, path }: Answer) => key === path[0] && !path.slice(1).some(step => typeof step === 'string')
  const isFlat = technical.length === 0 && answers.every(isWhole)
  return {
    fields: inOrder(fields, form.labels),
    technical: technical.map(answer => (
      { key: answer.key, label: answer.label.toWellFormed(), kind: kindOf(answer), value: editText(answer) }
    )),
    sent: isFlat ? null : JSON.stringify(data),
  }
}

/**
 * Format of an input's text: plain text, also for lists with one item per line and for choices; JSON for other lists
 * and objects.
 */
function kindOf(answer: Answer, text = editText(answer)): FieldDetails['kind'] {
  const { value, choices } = answer
  if (isBranch(value)) return text === fieldText(value) ? 'tree' : 'text'
  return typeof value === 'string' || choices?.has(fieldText(value)) ? 'text' : 'json'
}

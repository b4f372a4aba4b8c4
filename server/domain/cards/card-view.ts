import { ACTION_IDS, ACTIONS, isOffered, type ActionFacts } from '../../../shared/actions'
import { SUBMISSION_TTL_MS, daysOf, inDays } from '../../../shared/lifetimes'
import type { RichText } from '../../../shared/types/line'
import { actionLabel, actionNote, english, type Texts } from '../../../shared/texts'
import { isDataUrl } from '../../../shared/utils/data-url'
import { dateTime, rich, timeOfDay } from '../../../shared/utils/line'
import { visible } from '../../../shared/utils/text'
import type { CardAction, CardState, CardView, EditForm } from '../../ports/board'
import type { Form } from '../../ports/form'
import {
  type Submission, INTERIM_OUTCOMES, type AuditLine, type DecisionOutcome, type HistoryEntry, type Reviewer,
  type SubmissionRecord, type LockMode, type Assignee,
} from '../../ports/submission'
import type { Presentation } from '../context'
import { envelopeFields } from '../intake/envelope'
import { editInputs, markOf } from '../fields/edits'
import { editedLabels, inOrder, readFields } from '../fields/fields'
import { readingOf } from '../fields/reading'
import { senderCount } from '../fields/sender'
import { fileFields, fileLinks, filePictures } from '../files/file-texts'
import { isRevocable, canSendAgain } from '../lifecycle/record'
import { deletionNotes } from '../lifecycle/settle'
import { formOf } from '../deliveries/registry'
import { decisionLine } from './decision-line'
import { progressNotes, reopenedNotes, retryLabel, retryNotes, sentNotes } from './delivery-notes'
import { submissionUrl } from './submission-url'

/** Max fields of a view; the platform with the largest cards shows 400. */
const MOST_FIELDS = 500

/** Builds the card of a submission, in any state. */
export function cardView(submission: Submission, presentation: Presentation): CardView {
  const form = formOf(submission, presentation)
  const { files, texts = english } = presentation
  const moreFields = readingOf(submission.data, form).answers.length - MOST_FIELDS
  return {
    submissionId: submission.id,
    title: cardTitle(submission, form, texts),
    state: cardState(submission),
    fields: submission.data && submission.decision?.action !== 'spam'
      ? [
          ...envelopeFields(submission, form, texts),
          ...readFields(submission, form, texts, undefined, MOST_FIELDS), ...fileFields(submission, form, texts),
        ]
      : [],
    ...moreFields > 0 && { moreFields },
    ...fileLinks(submission, texts, files), ...filePictures(submission, form, texts, files),
    notes: cardNotes(submission, form, texts),
    actions: actionsOf(submission, form, texts),
    url: submissionUrl(submission.id, presentation),
  }
}

/** Card without buttons, for a channel that only reads. */
export function copyView(submission: Submission, presentation: Presentation): CardView {
  const view = cardView(submission, presentation)
  const isForward = submission.decision?.action === 'forward' && !submission.erased
  return isForward
    ? { ...view, state: 'forwarded', notes: [decisionLine(submission, presentation.texts ?? english)], actions: [] }
    : { ...view, actions: [] }
}

/** Reminder in the card's thread, some time before the submission expires. */
export function reminder({ expiresAt }: Submission, { texts = english }: Presentation): RichText {
  return texts('card.reminder', { at: dateTime(expiresAt) })
}

/** Card without buttons, for a submission that was deleted completely. */
export function goneCardView(id: string, presentation: Presentation): CardView {
  const { texts = english } = presentation
  return {
    submissionId: id, title: texts('card.title.gone'), state: 'gone', fields: [], notes: [texts('card.gone')],
    actions: [], url: submissionUrl(id, presentation),
  }
}

/** Inputs for the answers. A file that was sent as text, such as a signature, has none. */
export function editForm(submission: Submission, presentation: Presentation): EditForm {
  const form = presentation.forms.of(submission.form)
  return {
    inputs: inOrder(editInputs(submission.data, form), form.labels).filter(({ value }) => !isDataUrl(value)).map(
      input => ({ ...input, label: visible(input.label), mark: markOf(input.value) }),
    ),
    url: submissionUrl(submission.id, presentation),
  }
}

function cardTitle(submission: Submission, { name: form }: Form, texts: Texts): string {
  const title = texts(`card.title.${cardState(submission)}`)
  return form ? texts('card.title.ofForm', { title, form }) : title
}

function cardState({ state, decision, erased, failures }: Submission): CardState {
  if (erased) return 'erased'
  if (state === 'expired') return 'expired'
  if (!decision) return failures.length > 0 ? 'failed' : 'new'
  if (decision.action === 'spam') return 'spam'
  return state === 'settled' ? 'forwarded' : 'forwarding'
}

function cardNotes(submission: Submission, form: Form, texts: Texts): RichText[] {
  const { state, decision, erased, data } = submission
  if (erased) return [erasureLine(erased, texts)]
  if (state === 'expired') return [texts('card.expired', { days: daysOf(SUBMISSION_TTL_MS) })]
  if (!decision) {
    return [
      ...holderNotes(submission, form, texts), ...notedNotes(submission, texts), ...revokedNotes(submission, texts),
      ...reopenedNotes(submission, form, texts), ...deletionNotes(submission, texts),
      ...senderNotes(submission, form, texts),
    ]
  }
  const decisionText = decisionLine(submission, texts)
  if (decision.action === 'spam') {
    return [decisionText, ...retentionNotes(submission, texts), ...sentNotes(submission, texts)]
  }
  // A card without form data shows the decision in one line.
  if (!data) return [decisionText]
  const labels = editedLabels(submission, form)
  const editNotes = labels.length > 0 ? [texts('card.edited', { fields: labels.join(', ') })] : []
  return [decisionText, ...progressNotes(submission, form, texts), ...retryNotes(submission, texts), ...editNotes]
}

function actionsOf(submission: Submission, form: Form, texts: Texts): CardAction[] {
  const assignee = submission.holder ? 'viewer' : 'nobody'
  const facts = { ...actionFacts(submission), ...form.claim && { assignee } as const }
  return ACTION_IDS.flatMap((id) => {
    const { card, isRetry } = ACTIONS[id]
    if (!card || !isOffered(id, facts)) return []
    return [{ id: card.id, label: (isRetry && retryLabel(submission, form, texts)) || actionLabel(id, texts) }]
  })
}

/** Returns the facts that decide which actions a card offers, without the assignee and without erasure. */
export function actionFacts(submission: Submission): ActionFacts {
  const { state, decision } = submission
  const revocableState = decision?.action === 'spam' ? 'spam' : 'leaving'
  return {
    state: isRevocable(submission) ? revocableState : state === 'open' || state === 'held' ? state : null,
    isReturned: canSendAgain(submission), isErasable: false,
  }
}

/** Returns the time when the data of spam is erased; until then the mark can be undone. */
function retentionNotes(submission: Submission, texts: Texts): RichText[] {
  return isRevocable(submission) ? [texts('card.dataErasedOn', { at: dateTime(submission.revocableUntil!) })] : []
}

const ENDINGS: Record<DecisionOutcome, string> = {
  forwarded: 'Forwarded', edited: 'Edited and forwarded', spam: 'Marked as spam',
  expired: `Expired: nobody decided in ${inDays(SUBMISSION_TTL_MS)}`, failed: 'Failed', revoked: 'Taken back',
  released: 'Released', erased: 'Erased',
}

/** Returns the outcome, e.g. `Forwarded by Ada on Slack, 21 Nov 2026, 12:03 UTC.`; empty for an open submission. */
export function endLine(submission: SubmissionRecord, texts = english): RichText {
  const { state, erased, expiresAt } = submission
  if (erased) return rich`${erasureLine(erased, texts)}.`
  if (state === 'expired') return texts('card.expiredAt', { days: daysOf(SUBMISSION_TTL_MS), at: dateTime(expiresAt) })
  const decisionText = decisionLine(submission, texts)
  return decisionText && rich`${decisionText}.`
}

/** Returns the reason why a decision cannot be undone. */
export function irrevocable(submission: Submission | null, texts: Texts): RichText {
  if (submission?.state === 'open') return texts('card.refusal.waiting')
  if (submission?.state === 'settling') return texts('card.refusal.beingSent')
  const lastSentAt = submission?.sent?.map(({ at }) => at).sort().at(-1)
  const isForward = submission?.decision?.action === 'forward'
  if (isForward && lastSentAt !== undefined) return texts('card.refusal.sentOn', { at: dateTime(lastSentAt) })
  const outcome = submission && endLine(submission, texts)
  return outcome ? texts('card.refusal.dataErased', { outcome }) : texts('card.refusal.gone')
}

/** Returns the last outcome of each submission, latest first. Skips undone and failed decisions. */
export function endedOf(lines: readonly AuditLine[]): AuditLine[] {
  const lastLines = new Map(lines.toReversed().map(line => [line.id, line]))
  return [...lastLines.values()].filter(({ outcome }) => !INTERIM_OUTCOMES.includes(outcome)).sort(
    (a, b) => b.at - a.at || (a.id < b.id ? 1 : -1),
  )
}

/** Returns the decisions and expiries, even of submissions that were erased later. */
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

/** Returns the person who erased the submission, and the time. */
function erasureLine(
  { reviewer: { name, platform }, at }: NonNullable<Submission['erased']>, texts: Texts,
): RichText {
  return texts('card.erased', { name: visible(name), platform, at: dateTime(at) })
}

type RevokedEntry = HistoryEntry & { event: 'revoked' }

/** Returns the person who undid the last decision, for a card that is open again. */
function revokedNotes({ history }: Submission, texts: Texts): RichText[] {
  const lastEntry = history.findLast(({ event }) => event === 'claimed' || event === 'revoked')
  if (lastEntry?.event !== 'revoked') return []
  const { action, reviewer: { name, platform }, at } = lastEntry
  return [texts(`card.revoked.${action}`, { name: visible(name), platform, at: dateTime(at) })]
}

export function revokedText({ action, reviewer: { name, platform } }: RevokedEntry): string {
  return `${action === 'spam' ? 'Not spam, says' : 'Taken back by'} ${visible(name)} on ${platform}`
}

/** Asks for the form setting that selects the sender's address, if the data has several. */
function senderNotes(submission: Submission, form: Form, texts: Texts): string[] {
  const count = senderCount(submission, form)
  return count > 1 ? [texts('card.whichSender', { count })] : []
}

/** Returns the last note of a reviewer, for a card that waits for a decision. */
function notedNotes({ history }: Submission, texts: Texts): RichText[] {
  const lastEntry = history.findLast(entry => entry.event === 'noted')
  if (!lastEntry) return []
  const { action, reviewer: { name, platform }, at } = lastEntry
  const note = actionNote(action, texts)
  return [texts('card.noted', { note, name: visible(name), platform, at: dateTime(at) })]
}

/** Returns a line such as `Snoozed by Ada on Slack`. An action that no longer exists is shown by its key. */
export function notedText({ action, reviewer }: HistoryEntry & { event: 'noted' }): string {
  return `${actionNote(action, english)}${byReviewer(reviewer)}`
}

/** Returns a note on the assignee, if the form has assignment. */
export function holderNotes({ holder }: SubmissionRecord, { claim }: Form, texts = english): RichText[] {
  if (!claim || !holder) return []
  const { name, platform, since } = holder
  return [texts('card.holder', { name: visible(name), platform, at: timeOfDay(since) })]
}

/** Returns the message to a new assignee; empty if they assigned themselves. */
export function assignedNews({ name, by }: Assignee, texts = english): string {
  return by ? texts('card.assigned', { name: visible(name), by: visible(by.name) }) : ''
}

/** Error for taking a submission that is already assigned. */
export function assignedLine(assignee: Assignee, texts: Texts): RichText {
  return texts('card.refusal.taken', valuesOf(assignee))
}

/** Way to decide: with a button or form (`press`), or by approving a program's request. */
export type DecisionWay = 'press' | 'approval'

const APPROVAL_HINT = 'Nothing was decided. To decide anyway, ask for the same action again, and have the same person approve it.'

/** Warning or refusal for a person who decides although somebody else is assigned. */
export function warningLine(
  assignee: Assignee, lockMode: LockMode, texts: Texts, way: DecisionWay = 'press',
): RichText {
  if (lockMode !== 'soft') {
    return texts('card.refusal.takenUntil', { ...valuesOf(assignee), until: timeOfDay(assignee.until) })
  }
  return rich`${assignedLine(assignee, texts)} ${way === 'press' ? texts('card.refusal.decideAnyway') : APPROVAL_HINT}`
}

/** Error for handing back someone else's submission. */
export function notYoursLine(assignee: Assignee, texts: Texts): RichText {
  return texts('card.refusal.notYours', valuesOf(assignee))
}

function valuesOf({ name, platform, since }: Assignee) {
  return { name: visible(name), platform, at: timeOfDay(since) }
}

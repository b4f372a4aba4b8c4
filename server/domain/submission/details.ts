import type { FieldDetails, HistoryLine, SubmissionDetails } from '../../../shared/types/submissions'
import type { Form } from '../../ports/form'
import type { SubmissionStore } from '../../ports/store'
import {
  INTERIM_OUTCOMES, type AuditLine, type DecisionOutcome, type HistoryEntry, type Submission,
} from '../../ports/submission'
import { SubmissionEnded, SubmissionGone } from '../errors'
import { isNumber } from '../json'
import { editInputs } from './fields'
import { cardLocations, problemOf, reached, stateOf, workName, type OverviewPorts } from './overview'
import {
  cardView, decisionLine, deliveriesOf, DELIVERY_NAMES, inOrder, leftOf, progressNotes, readTime, retryLabel, targetsOf,
  type Presentation,
} from './present'
import { outstanding } from './record'

export interface DetailsPorts extends Pick<OverviewPorts, 'board' | 'presentation'> {
  store: Pick<SubmissionStore, 'get' | 'audit'>
}

/** Tells a person how to judge a held submission. */
const HELD_NOTE = 'Held, because a field that people do not see was filled in: mostly by a program, sometimes by a browser for a person. It has no card, and nobody was told. Release it to decide it like any other, or delete it.'

/** How far back the audit trail is searched for what happened to one submission. */
const RECENT_ENDINGS = 1000

/** @throws SubmissionGone when it never was, SubmissionEnded when it is over, StoreUnavailable */
export async function showSubmission(id: string, ports: DetailsPorts): Promise<SubmissionDetails> {
  const submission = await reached(ports.store.get(id))
  if (!submission) throw await ending(id, ports.store, message => new SubmissionEnded(message))
  if (submission.state === 'settled') throw new SubmissionEnded(`${decisionLine(submission)}.`)
  const { board, presentation } = ports
  const { state, receivedAt, expiresAt, cards, data } = submission
  const form = presentation.forms.of(submission.form)
  return {
    id, receivedAt, expiresAt,
    state: state === 'expired' ? state : stateOf(submission),
    open: state === 'open' && data !== null,
    erased: data === null,
    fields: inOrder(fields(submission), form.labels),
    notes: notesOf(submission, presentation),
    destinations: deliveriesOf(form).flatMap(delivery => targetsOf(delivery, form)),
    retry: retryOf(submission, form),
    form: form.name ?? null,
    cards: await cardLocations(cards, ports),
    problem: problemOf(submission, board.label),
    history: submission.history.map(entry => historyLine(entry, board.label)),
    work: outstanding(submission).map(
      item => (
        { what: workName(item, board.label), attempts: item.attempts, reason: item.reason ?? null, dueAt: item.dueAt }
      ),
    ),
  }
}

function notesOf(submission: Submission, presentation: Presentation): readonly string[] {
  if (submission.state === 'held') return [HELD_NOTE]
  return submission.decision
    ? [`${decisionLine(submission)}.`, ...progressNotes(submission, presentation.forms.of(submission.form))]
    : cardView(submission, presentation).notes
}

function retryOf(submission: Submission, form: Form): SubmissionDetails['retry'] {
  const label = retryLabel(submission, form)
  return label && submission.state === 'open'
    ? { label, destinations: leftOf(submission, form).flatMap(delivery => targetsOf(delivery, form)) }
    : null
}

/** The error that says what became of a submission which the store does not have any more. @throws StoreUnavailable */
export async function ending(
  id: string, store: Pick<SubmissionStore, 'audit'>, known: (message: string) => Error,
): Promise<Error> {
  const lines = await reached(store.audit(RECENT_ENDINGS))
  const line = lines.find(each => each.id === id && !INTERIM_OUTCOMES.includes(each.outcome))
  return line ? known(endingLine(line)) : new SubmissionGone()
}

const ENDINGS: Record<DecisionOutcome, string> = {
  forwarded: 'Forwarded', edited: 'Edited and forwarded', spam: 'Marked as spam',
  expired: 'Expired: nobody decided in 7 days', failed: 'Failed', released: 'Released', deleted: 'Deleted',
}

/** `Forwarded by Ada on Slack, 21 Nov 2026, 12:03 UTC.` */
function endingLine({ outcome, reviewer, at }: AuditLine): string {
  return `${ENDINGS[outcome]}${reviewer ? ` by ${reviewer.name} on ${reviewer.platform}` : ''}, ${readTime(at)}.`
}

export function historyLine(entry: HistoryEntry, label: (platform: string) => string): HistoryLine {
  const failed = entry.event === 'failed' ? entry : null
  return {
    at: entry.at, event: entry.event, text: historyText(entry, label), reason: failed?.reason ?? null,
    againAt: failed?.again ?? null,
  }
}

function historyText(entry: HistoryEntry, label: (platform: string) => string): string {
  switch (entry.event) {
    case 'received': return 'Received'
    case 'held': return 'Held: a field that people do not see was filled in'
    case 'released': return `Released by ${entry.reviewer.name} on ${entry.reviewer.platform}`
    case 'deleted': return `Deleted by ${entry.reviewer.name} on ${entry.reviewer.platform}`
    case 'posted': return `Card posted on ${label(entry.platform)}`
    case 'reminded': return 'Reminded: a day is left'
    case 'expired': return 'Expired, data erased'
    case 'claimed': return `${claimName(entry)} by ${entry.reviewer.name} on ${entry.reviewer.platform}`
    case 'delivered': return `${DELIVERY_NAMES[entry.delivery]} delivered`
    case 'failed': return `${workName(entry, label)} failed`
    case 'reopened': return 'Open for a decision again'
  }
}

function claimName({ action, edited }: HistoryEntry & { event: 'claimed' }): string {
  return action === 'spam' ? 'Marked as spam' : edited ? 'Edited and forwarded' : 'Forwarded'
}

function fields({ data, edited }: Submission): FieldDetails[] {
  const values = Object.values(data ?? {})
  const keys = Object.keys(data ?? {})
  return editInputs(data ?? {}).map(
    (input, position) => ({ ...input, kind: kindOf(values[position]), edited: edited.includes(keys[position]!) }),
  )
}

function kindOf(value: unknown): FieldDetails['kind'] {
  if (typeof value === 'string') return 'text'
  return typeof value === 'object' && value !== null && !isNumber(value) ? 'tree' : 'json'
}

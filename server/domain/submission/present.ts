import type { CardView, EditForm, Field } from '../../ports/board'
import type { Form, Forms } from '../../ports/form'
import type { Submission, Delivery, Failure, Work } from '../../ports/submission'
import { visible } from '../../../shared/utils/text'
import { editInputs, fieldText } from './fields'
import { isDelivery } from './record'

/** What cards and emails say about this deployment. */
export interface Presentation {
  /** Base URL of the ops pages, without a trailing slash; null when nobody can open them or knows where they are. */
  siteUrl: string | null
  forms: Forms
}

/** The card of a submission in whatever state it is. */
export function cardView(submission: Submission, presentation: Presentation): CardView {
  const open = submission.state === 'open'
  const form = presentation.forms.of(submission.form)
  return {
    submissionId: submission.id,
    title: title(submission, form),
    fields: submission.data ? readFields(submission, form.labels) : [],
    notes: notes(submission, form),
    actions: open,
    ...open && { retryLabel: retryLabel(submission, form) },
    url: submissionUrl(submission.id, presentation),
  }
}

/** What the card's thread is told a day before the end. */
export function reminder({ expiresAt }: Submission): string {
  return `Nobody has decided this submission yet. It expires and is erased on ${readTime(expiresAt)}.`
}

/** A card for a submission that somebody decided before this card was known: it offers nothing. */
export function retiredCardView(id: string, presentation: Presentation): CardView {
  return {
    submissionId: id, title: 'Form Submission', fields: [], notes: ['Already decided.'], actions: false,
    url: submissionUrl(id, presentation),
  }
}

export function editForm(submission: Submission, presentation: Presentation): EditForm {
  return {
    submissionId: submission.id,
    inputs: inOrder(
      editInputs(submission.data ?? {}), presentation.forms.of(submission.form).labels,
    ).map(input => ({ ...input, label: visible(input.label) })),
    url: submissionUrl(submission.id, presentation),
  }
}

/** @param labels what people read instead of keys, in their order */
export function readFields(submission: Submission, labels: Form['labels']): Field[] {
  return inOrder(Object.entries(submission.data ?? {}).map(([key, value]) => ({
    label: key.toWellFormed(), value: visible(fieldText(value)), edited: submission.edited.includes(key),
  })), labels).map(field => ({ ...field, label: visible(field.label) }))
}

/** What has a label comes first, under it and in the order of the labels; the rest follows as it came. */
export function inOrder<T extends { label: string }>(items: readonly T[], labels: Form['labels']): T[] {
  const keys = Object.keys(labels)
  const place = ({ label }: T) => Object.hasOwn(labels, label) ? keys.indexOf(label) : keys.length
  return [...items].sort((a, b) => place(a) - place(b)).map(
    item => Object.hasOwn(labels, item.label) ? { ...item, label: labels[item.label]! } : item,
  )
}

/** Who decided what; shown on cards, in modals that came too late, and in the email. */
export function decisionLine(submission: Submission): string {
  const { decision } = submission
  if (!decision) return ''
  const verb = decision.action === 'spam'
    ? 'Marked as spam'
    : decision.edited ?? submission.edited.length > 0 ? 'Edited and forwarded' : 'Forwarded'
  return `${verb} by ${visible(decision.reviewer.name)} on ${decision.reviewer.platform}, ${readTime(decision.at)}`
}

function title({ state, decision }: Submission, { name }: Form): string {
  const forwarded = state === 'settled' ? 'Form Submission forwarded' : 'Form Submission being forwarded'
  const what = state === 'expired'
    ? 'Expired Form Submission'
    : !decision ? 'New Form Submission' : decision.action === 'spam' ? 'Form Submission marked as spam' : forwarded
  return name ? `${what}: ${name}` : what
}

function notes(submission: Submission, form: Form): string[] {
  const { state, decision, data, edited } = submission
  if (state === 'expired') return ['Expired — nobody decided in 7 days.']
  if (!decision) return reopenedNotes(submission, form)
  if (decision.action === 'spam') return [decisionLine(submission), ...sentNotes(submission)]
  const edits = edited.length > 0 && data
    ? [`Edited: ${edited.map(key => (Object.hasOwn(form.labels, key) ? form.labels[key] : visible(key))).join(', ')}`]
    : []
  return [decisionLine(submission), ...progressNotes(submission, form), ...retryNotes(submission), ...edits]
}

function submissionUrl(id: string, { siteUrl }: Presentation): string | null {
  return siteUrl === null ? null : `${siteUrl}/submissions/${id}`
}

export const DELIVERY_NAMES: Record<Delivery, string> = { email: 'Email', endpoint: 'Endpoint' }

const DELIVERIES: readonly Delivery[] = ['email', 'endpoint']

/** What a forward of this form does. Of one that is not configured any more, an attempt at least says so. */
export function deliveriesOf({ to, endpoint, missing }: Form): Delivery[] {
  return [...to.length > 0 || missing ? ['email' as const] : [], ...endpoint ? ['endpoint' as const] : []]
}

/** Where a delivery goes: addresses, or the host. */
export function targetsOf(delivery: Delivery, { to, endpoint }: Form): readonly string[] {
  return delivery === 'email' ? to : endpoint ? [endpoint.host] : []
}

/** The deliveries that a forward of the data as it is would do. */
export function leftOf({ delivered }: Submission, form: Form): Delivery[] {
  return deliveriesOf(form).filter(delivery => !delivered.includes(delivery))
}

/** Notes on a forward so far: what was sent, what is on its way, what was given up. */
export function progressNotes(submission: Submission, form: Form): string[] {
  const { delivered, failures, sent = [] } = submission
  const sentTo = (delivery: Delivery) => sent.find(each => each.delivery === delivery)?.to ?? targetsOf(delivery, form)
  return [
    ...listed('Sent to', [...delivered].sort(byOrder(each => each)).flatMap(sentTo)),
    ...listed(
      'Being sent to',
      underWay(submission).filter(({ reason }) => reason === undefined).flatMap(({ kind }) => targetsOf(kind, form)),
    ),
    ...failed(failures),
    ...sent.filter(({ delivery }) => !delivered.includes(delivery)).map(
      ({ to, at }) => `Corrects what was sent to ${listOf(to)} on ${readTime(at)}`,
    ),
  ]
}

/** What failed and is tried again, and when. */
function retryNotes(submission: Submission): string[] {
  return underWay(submission).flatMap(
    ({ kind, reason, dueAt }) => reason === undefined
      ? []
      : [`${DELIVERY_NAMES[kind]} failed: ${reason} Tried again on ${readTime(dueAt)}`],
  )
}

/** What stands when deliveries were given up: what failed, what was sent, and what deciding again does. */
function reopenedNotes(submission: Submission, form: Form): string[] {
  const { failures, delivered } = submission
  if (failures.length === 0) return []
  const left = leftOf(submission, form)
  const isPartial = delivered.length > 0 && left.length > 0
  return [
    ...failed(failures),
    ...sentNotes(submission),
    isPartial
      ? `Forward again to send only the ${listOf(left)}: the ${listOf(delivered)} has it. Edited values go to both`
      : 'Decide again to retry',
  ]
}

/** What the button that forwards says when a part of it was done before. */
export function retryLabel(submission: Submission, form: Form): string | undefined {
  const left = leftOf(submission, form)
  return submission.delivered.length > 0 && left.length > 0 ? `Retry ${listOf(left)}` : undefined
}

/** What was sent before somebody decided otherwise, or before the rest of it failed. */
function sentNotes({ sent = [], delivered }: Submission): string[] {
  return sent.map(
    ({ delivery, to, at }) => `Sent to ${listOf(to)} on ${readTime(at)}${delivered.includes(delivery) ? '' : ', with other values'}`,
  )
}

function underWay({ work }: Submission): (Work & { kind: Delivery })[] {
  return work.filter((item): item is Work & { kind: Delivery } => isDelivery(item.kind)).sort(byOrder(({ kind }) => (
    kind
  )))
}

function failed(failures: readonly Failure[]): string[] {
  return failures.map(({ delivery, reason }) => `${DELIVERY_NAMES[delivery]} failed: ${reason}`)
}

function listed(what: string, targets: readonly string[]): string[] {
  return targets.length > 0 ? [`${what} ${listOf(targets)}`] : []
}

function listOf(names: readonly string[]): string {
  return names.join(' and ')
}

function byOrder<T>(delivery: (item: T) => Delivery) {
  return (a: T, b: T) => DELIVERIES.indexOf(delivery(a)) - DELIVERIES.indexOf(delivery(b))
}

/** `21 Nov 2026, 12:03 UTC`: one form for every reader, wherever they are. */
export function readTime(epochMs: number): string {
  // `Sat, 21 Nov 2026 12:03:00 GMT`, whatever the locale (ECMA-262); formatters for a locale cost a hundred times as
  // much.
  const [, day, month, year, time = ''] = new Date(epochMs).toUTCString().split(' ')
  return `${Number(day)} ${month} ${year}, ${time.slice(0, 5)} UTC`
}

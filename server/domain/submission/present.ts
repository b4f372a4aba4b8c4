import type { CardView, EditForm, Field } from '../../ports/board'
import type { Form, Forms } from '../../ports/form'
import type { Delivery, Submission } from '../../ports/submission'
import { visible } from '../text'
import { editInputs, fieldText } from './fields'

/** What cards and emails say about this deployment. */
export interface Presentation {
  /** Base URL of the ops pages, without a trailing slash; null when nobody can open them, or nobody said where they are. */
  siteUrl: string | null
  forms: Forms
}

export const DELIVERY_NAMES: Record<Delivery, string> = { email: 'Email', endpoint: 'Endpoint' }

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
    url: submissionUrl(submission.id, presentation),
  }
}

/** What the card's thread is told a day before the end. */
export function reminder({ expiresAt }: Submission): string {
  return `Nobody has decided this submission yet. It expires and is erased on ${readTime(expiresAt)}.`
}

/** A card for a submission that somebody decided before this card was known: it offers nothing. */
export function retiredCardView(id: string, presentation: Presentation): CardView {
  return { submissionId: id, title: 'Form Submission', fields: [], notes: ['Already decided.'], actions: false, url: submissionUrl(id, presentation) }
}

export function editForm(submission: Submission, presentation: Presentation): EditForm {
  return { submissionId: submission.id, inputs: inOrder(editInputs(submission.data ?? {}), presentation.forms.of(submission.form).labels).map(input => ({ ...input, label: visible(input.label) })), url: submissionUrl(submission.id, presentation) }
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
  return [...items].sort((a, b) => place(a) - place(b)).map(item => Object.hasOwn(labels, item.label) ? { ...item, label: labels[item.label]! } : item)
}

/** Who decided what; shown on cards, in modals that came too late, and in the email. */
export function decisionLine(submission: Submission): string {
  const { decision } = submission
  if (!decision) return ''
  const verb = decision.action === 'spam' ? 'Marked as spam' : submission.edited.length > 0 ? 'Edited and forwarded' : 'Forwarded'
  return `${verb} by ${visible(decision.reviewer.name)} on ${decision.reviewer.platform}, ${readTime(decision.at)}`
}

/** `21 Nov 2026, 12:03 UTC`: one form for every reader, wherever they are. */
export function readTime(epochMs: number): string {
  // `Sat, 21 Nov 2026 12:03:00 GMT`, whatever the locale (ECMA-262); formatters for a locale cost a hundred times as much.
  const [, day, month, year, time = ''] = new Date(epochMs).toUTCString().split(' ')
  return `${Number(day)} ${month} ${year}, ${time.slice(0, 5)} UTC`
}

function title({ state, decision }: Submission, { name }: Form): string {
  const what = state === 'expired'
    ? 'Expired Form Submission'
    : !decision ? 'New Form Submission' : decision.action === 'spam' ? 'Form Submission marked as spam' : 'Form Submission forwarded'
  return name ? `${what}: ${name}` : what
}

/** What a forward of this form does. */
export function deliveriesOf({ to, endpoint }: Form): Delivery[] {
  return [...to.length > 0 ? ['email' as const] : [], ...endpoint ? ['endpoint' as const] : []]
}

function notes(submission: Submission, form: Form): string[] {
  if (submission.state === 'expired') return ['Expired — nobody decided in 7 days.']
  if (!submission.decision) return submission.failures.map(({ delivery, reason }) => `${DELIVERY_NAMES[delivery]} failed: ${reason} Decide again to retry what is left.`)
  const where = [...form.to, ...form.endpoint ? [form.endpoint.host] : []].join(' and ')
  const edits = submission.edited.length > 0 && submission.data ? [`Edited: ${submission.edited.map(key => (Object.hasOwn(form.labels, key) ? form.labels[key] : visible(key))).join(', ')}`] : []
  return submission.decision.action === 'spam' ? [decisionLine(submission)] : [decisionLine(submission), `Sent to ${where}`, ...edits]
}

function submissionUrl(id: string, { siteUrl }: Presentation): string | null {
  return siteUrl === null ? null : `${siteUrl}/submissions/${id}`
}

import type { CardView, EditForm, Field } from '../../ports/board'
import type { Form, Forms } from '../../ports/form'
import type { Submission } from '../../ports/submission'
import { visible } from '../../../shared/utils/text'
import { editInputs, fieldText } from './fields'
import { progressNotes, reopenedNotes, retryLabel, retryNotes, sentNotes } from './progress'
import { readTime } from './time'

/** What cards and emails say about this deployment. */
export interface Presentation {
  /** Base URL of the ops pages, without a trailing slash; null when nobody can open them, or nobody said where they are. */
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
  const verb = decision.action === 'spam' ? 'Marked as spam' : decision.edited ?? submission.edited.length > 0 ? 'Edited and forwarded' : 'Forwarded'
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
  const edits = edited.length > 0 && data ? [`Edited: ${edited.map(key => (Object.hasOwn(form.labels, key) ? form.labels[key] : visible(key))).join(', ')}`] : []
  return [decisionLine(submission), ...progressNotes(submission, form), ...retryNotes(submission), ...edits]
}

function submissionUrl(id: string, { siteUrl }: Presentation): string | null {
  return siteUrl === null ? null : `${siteUrl}/submissions/${id}`
}

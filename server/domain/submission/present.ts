import type { CardView, EditForm, Field } from '../../ports/board'
import type { SubmissionStore } from '../../ports/store'
import type { Delivery, Submission } from '../../ports/submission'
import { StoreUnavailable, SubmissionGone } from '../errors'
import { editInputs, fieldText } from './fields'

/** What cards and emails say about this deployment. */
export interface Presentation {
  /** Base URL of the ops pages, without a trailing slash. */
  siteUrl: string
  /** Where forwards go, as people read it. */
  destinations: Readonly<Partial<Record<Delivery, string>>>
}

const DELIVERY_NAMES: Record<Delivery, string> = { email: 'Email', endpoint: 'Endpoint' }

/** The card of a submission in whatever state it is. */
export function cardView(submission: Submission, presentation: Presentation): CardView {
  const open = submission.state === 'open'
  return {
    submissionId: submission.id,
    title: title(submission),
    fields: submission.data ? readFields(submission) : [],
    notes: notes(submission, presentation),
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
  return { submissionId: submission.id, inputs: editInputs(submission.data ?? {}), url: submissionUrl(submission.id, presentation) }
}

export function readFields(submission: Submission): Field[] {
  return Object.entries(submission.data ?? {}).map(([label, value]) => ({
    label: label.toWellFormed(), value: fieldText(value), edited: submission.edited.includes(label),
  }))
}

/** Who decided what; shown on cards, in modals that came too late, and in the email. */
export function decisionLine(submission: Submission): string {
  const { decision } = submission
  if (!decision) return ''
  const verb = decision.action === 'spam' ? 'Marked as spam' : submission.edited.length > 0 ? 'Edited and forwarded' : 'Forwarded'
  return `${verb} by ${decision.reviewer.name} on ${decision.reviewer.platform}, ${readTime(decision.at)}`
}

/** `21 Nov 2026, 12:03 UTC`: one form for every reader, wherever they are. */
export function readTime(epochMs: number): string {
  // `Sat, 21 Nov 2026 12:03:00 GMT`, whatever the locale (ECMA-262); formatters for a locale cost a hundred times as much.
  const [, day, month, year, time = ''] = new Date(epochMs).toUTCString().split(' ')
  return `${Number(day)} ${month} ${year}, ${time.slice(0, 5)} UTC`
}

export interface SubmissionDetails {
  id: string
  state: Submission['state']
  receivedAt: number
  expiresAt: number
  fields: Field[]
  notes: readonly string[]
}

/** A submission in full, for the ops pages. @throws SubmissionGone */
export async function showSubmission(id: string, store: SubmissionStore, presentation: Presentation): Promise<SubmissionDetails> {
  const submission = await store.get(id).catch((error) => { throw new StoreUnavailable(error) })
  if (!submission) throw new SubmissionGone()
  const { state, receivedAt, expiresAt } = submission
  return { id, state, receivedAt, expiresAt, fields: readFields(submission), notes: cardView(submission, presentation).notes }
}

function title(submission: Submission): string {
  if (submission.state === 'expired') return 'Expired Form Submission'
  if (!submission.decision) return 'New Form Submission'
  return submission.decision.action === 'spam' ? 'Form Submission marked as spam' : 'Form Submission forwarded'
}

function notes(submission: Submission, { destinations }: Presentation): string[] {
  if (submission.state === 'expired') return ['Expired — nobody decided in 7 days.']
  if (!submission.decision) return submission.failures.map(({ delivery, reason }) => `${DELIVERY_NAMES[delivery]} failed: ${reason} Decide again to retry what is left.`)
  const where = Object.values(destinations).join(' and ')
  const edits = submission.edited.length > 0 && submission.data ? [`Edited: ${submission.edited.join(', ')}`] : []
  return submission.decision.action === 'spam' ? [decisionLine(submission)] : [decisionLine(submission), `Sent to ${where}`, ...edits]
}

function submissionUrl(id: string, { siteUrl }: Presentation): string {
  return `${siteUrl}/submissions/${id}`
}

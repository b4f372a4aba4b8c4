import {
  Actions, Button, Card, CardLink, CardText, Divider, Field, Fields, type CardChild, type CardElement,
  type FieldElement,
} from 'chat'
import type { CardView, Field as ViewField } from '../../ports/board'
import type { Platform } from '../../platforms/traits'
import { cut, fieldName } from '../../platforms/shared/text'

/** Longest notification line; phones show less. */
const SUMMARY_LENGTH = 280

const NOTE_LENGTH = 1000

export interface RenderedCard {
  card: CardElement
  /** One line of plain text for notifications. */
  summary: string
}

/** Renders a card within the platform's limits, with everything from the form escaped for it. */
export function renderCard(view: CardView, platform: Platform): RenderedCard {
  const notes = view.notes.map(note => escapeWithin(note, NOTE_LENGTH, platform))
  const { fields, hidden, shortened } = fitFields(view.fields, platform, notes)
  const leftOut = [
    hidden > 0 && `${hidden} more ${hidden === 1 ? 'field' : 'fields'}`, shortened > 0 && `${shortened} shortened`,
  ].filter(Boolean).join(', ')
  const children: CardChild[] = [
    ...chunk(fields, platform.card.fieldsPerGroup).map(group => Fields(group)),
    ...view.actions && fields.length === 0 ? [CardText('The form was empty.', { style: 'muted' })] : [],
    ...leftOut
      ? [linkTo(view, `${leftOut}: open the full submission`)
        ?? CardText(`${leftOut}: not shown here.`, { style: 'muted' })]
      : [],
    ...platform.card.isText ? [] : [Divider()],
    ...notes.map(note => CardText(note, { style: 'muted' })),
    ...view.actions ? actionRows(view, platform) : [],
  ]
  return { card: Card({ title: view.title, children }), summary: summarise(view) }
}

/** What is left of a card that the platform refuses: nothing on it comes from the form. */
export function renderMinimalCard(view: CardView, platform: Platform): RenderedCard {
  const children: CardChild[] = [
    CardText(`Submission ${view.submissionId}. ${platform.label} refused the whole card.`, { style: 'muted' }),
    ...ifAny(linkTo(view, 'Open the submission')),
    ...view.actions ? actionRows(view, platform) : [],
  ]
  return { card: Card({ title: view.title, children }), summary: view.title }
}

function actionRows(view: CardView, platform: Platform): CardChild[] {
  const value = view.submissionId
  const forward = Button({ id: 'forward', label: view.retryLabel ?? 'Forward Submission', style: 'primary', value })
  const spam = Button({ id: 'spam', label: 'Mark as Spam', style: 'danger', value })
  const rows = platform.modal
    ? [[forward, Button({ id: 'edit', label: 'Edit & Forward', style: 'primary', value, actionType: 'modal' })], [spam]]
    : [[forward], [spam]]
  const editElsewhere = platform.modal ? null : linkTo(view, 'Edit & Forward on the web')
  return [...ifAny(editElsewhere), ...rows.map(row => Actions(row))]
}

function linkTo({ url }: CardView, label: string): CardChild | null {
  return url === null ? null : CardLink({ label, url })
}

function ifAny<T>(item: T | null): T[] {
  return item === null ? [] : [item]
}

/** As many fields as fit, escaped, and how many do not. */
export function fitFields(all: readonly ViewField[], platform: Platform, notes: readonly string[]): {
  fields: FieldElement[]
  hidden: number
  shortened: number
} {
  const { card: limits, escape } = platform
  const fields: FieldElement[] = []
  let room = limits.total - notes.reduce((sum, note) => sum + note.length, 0)
  let shortened = 0
  for (const { label, value, edited } of all.slice(0, limits.fields)) {
    const text = escapeWithin(value, limits.value, platform)
    const shown = {
      // An escape may leave nothing of a name, where the platform shows none of its characters.
      label: (
        escapeWithin(fieldName(label, limits.label), limits.label, platform) || escape(fieldName('', limits.label))
      ) + (edited ? ' (edited)' : ''),
      value: text || '—',
    }
    room -= shown.label.length + shown.value.length
    if (room < 0) break
    if (value.length > limits.value || text !== escape(value)) shortened++
    fields.push(Field(shown))
  }
  return { fields, hidden: all.length - fields.length, shortened }
}

/** The text escaped, cut as little as its escaped form allows. */
export function escapeWithin(text: string, max: number, { escape }: Platform): string {
  let [fits, tooMuch, kept] = [1, Math.min(text.length, max) + 1, Math.min(text.length, max)]
  while (tooMuch - fits > 1) {
    if (escape(cut(text, kept)).length <= max) fits = kept
    else tooMuch = kept
    kept = (fits + tooMuch) >> 1
  }
  return escape(cut(text, fits))
}

function summarise({ title, fields }: CardView): string {
  const preview = fields.slice(0, 3).map(({ label, value }) => `${fieldName(label, 40)}: ${cut(value, 80)}`).join(' · ')
  return cut((preview ? `${title}: ${preview}` : title).replace(/\s+/g, ' '), SUMMARY_LENGTH)
}

export function chunk<T>(items: readonly T[], size: number): T[][] {
  return Array.from(
    { length: Math.ceil(items.length / size) }, (_, index) => items.slice(index * size, (index + 1) * size),
  )
}

import { Actions, Button, Card, CardText, Fields, type CardChild, type CardElement } from 'chat'
import type { Field } from '../../ports/board'
import { chunk, fitFields } from './cards'
import type { Platform } from '../../platforms/traits'
import { cut } from '../../platforms/shared/text'

/** What a card asks, or what became of it. Plain text throughout. */
export interface ApprovalView {
  title: string
  details: readonly Field[]
  /** Who asked, until when, what was decided; one line each. */
  notes: readonly string[]
  /** What the buttons carry; null when there is nothing to decide any more. */
  value: string | null
}

/** Details share a card with the rest of a conversation: fewer than a submission has, and shorter. */
const DETAILS = 20
const DETAIL_LENGTH = 600
const TITLE_LENGTH = 120

/**
 * The card on which people allow or deny a tool call, within the platform's limits and with everything escaped for it.
 */
export function approvalCard(view: ApprovalView, platform: Platform): CardElement {
  const { card } = platform
  const limits = {
    ...card, fields: Math.min(card.fields, card.fieldsPerGroup, DETAILS), value: Math.min(card.value, DETAIL_LENGTH),
    total: Math.min(card.total, 5000),
  }
  const notes = view.notes.map(note => platform.escape(cut(note, 300)))
  const { fields, hidden, shortened } = fitFields(view.details, { ...platform, card: limits }, notes)
  const leftOut = [
    hidden > 0 && `${hidden} more not shown`, shortened > 0 && `${shortened} shortened`,
  ].filter(Boolean).join(', ')
  const children: CardChild[] = [
    ...chunk(fields, limits.fieldsPerGroup).map(group => Fields(group)),
    ...[...leftOut ? [`${leftOut}.`] : [], ...notes].map(note => CardText(note, { style: 'muted' })),
    ...view.value === null
      ? []
      : [Actions([Button({ id: 'approve', label: 'Approve', style: 'primary', value: view.value }), Button({
          id: 'deny', label: 'Deny', style: 'danger', value: view.value,
        })])],
  ]
  return Card({ title: cut(view.title, TITLE_LENGTH), children })
}

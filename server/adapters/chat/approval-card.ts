import { Actions, Button, Card, CardText, Fields, type CardChild, type CardElement } from 'chat'
import type { ApprovalView } from '../../ports/board'
import { fitFields, textElement } from './cards'
import type { Platform } from '../../platforms/traits'
import { chunk, cut } from '../../platforms/shared/text'

/** Details share a card with the rest of a conversation: fewer than a submission has, and shorter. */
const DETAILS = 20
const DETAIL_LENGTH = 600
const TITLE_LENGTH = 120

/** The card on which people allow or deny a tool call, bounded and escaped for the platform. */
export function approvalCard(view: ApprovalView, platform: Platform): CardElement {
  const { card } = platform
  const limits = {
    ...card, fields: Math.min(card.fields, DETAILS), value: Math.min(card.value, DETAIL_LENGTH),
    total: Math.min(card.total, 5000),
  }
  const notes = view.notes.map(note => textElement(note, platform, { style: 'muted', length: 300 }))
  const { fields, hidden, shortened } = fitFields(
    view.details, { ...platform, card: limits }, notes.map(({ content }) => content),
  )
  const leftOut = [
    hidden > 0 && `${hidden} more not shown`, shortened > 0 && `${shortened} shortened`,
  ].filter(Boolean).join(', ')
  const children: CardChild[] = [
    ...chunk(fields, limits.fieldsPerGroup).map(group => Fields(group)),
    ...leftOut ? [CardText(`${leftOut}.`, { style: 'muted' })] : [],
    ...notes,
    ...view.value === null
      ? []
      : [Actions([Button({ id: 'approve', label: 'Approve', style: 'primary', value: view.value }), Button({
          id: 'deny', label: 'Deny', style: 'danger', value: view.value,
        })])],
  ]
  return Card({ title: cut(view.title, TITLE_LENGTH), children })
}

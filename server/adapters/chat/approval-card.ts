import { Actions, Button, Card, CardText, Fields, type CardChild, type CardElement, type FieldElement } from 'chat'
import type { ApprovalView } from '../../ports/board'
import type { Field } from '../../ports/submission'
import { escapeWithin, textElement } from './cards'
import type { Platform } from '../../platforms/traits'
import { cut } from '../../../shared/utils/text'
import { chunk, fieldName } from '../../platforms/shared/text'

/** Max details, and limits in characters. They are lower than for submissions: the card is part of a conversation. */
const MAX_DETAILS = 20
const DETAIL_LENGTH = 600
const TOTAL_LENGTH = 5000
const TITLE_LENGTH = 120

/** Max length of a name in the list of shortened details, characters. A card has room for all of them. */
const NAME_LENGTH = 18

/**
 * Builds the card on which people allow or deny a tool call, bounded and escaped for the platform. Each detail shows
 * its name and the beginning of its value, however long the others are: nobody should approve unseen data.
 */
export function approvalCard(view: ApprovalView, platform: Platform): CardElement {
  const { fieldsPerGroup, total } = platform.card
  const notes = view.notes.map(note => textElement(note, platform, { style: 'muted', length: 300 }))
  const availableLength = Math.min(total, TOTAL_LENGTH) - notes.reduce((sum, { content }) => sum + content.length, 0)
  const { fields, shortened } = fitDetails(view.details.slice(0, MAX_DETAILS), platform, availableLength)
  const names = shortened.map(({ label }) => escapeWithin(nameOf(label), NAME_LENGTH, platform)).join(', ')
  const hidden = view.details.length - fields.length
  const omissions = [
    names && `Shortened: ${names}.`, hidden > 0 && `${hidden} more not shown.`,
  ].filter(Boolean).join(' ')
  const children: CardChild[] = [
    ...chunk(fields, fieldsPerGroup).map(group => Fields(group)),
    ...omissions ? [CardText(omissions, { style: 'muted' })] : [],
    ...notes,
    ...view.value === null
      ? []
      : [Actions([Button({ id: 'approve', label: 'Approve', style: 'primary', value: view.value }), Button({
          id: 'deny', label: 'Deny', style: 'danger', value: view.value,
        })])],
  ]
  return Card({ title: cut(view.title, TITLE_LENGTH), children })
}

function fitDetails(
  details: readonly Field[], platform: Platform, availableLength: number,
): { fields: FieldElement[], shortened: Field[] } {
  const { card, escape } = platform
  const toField = ({ label, value }: Field, maxLength: number): FieldElement => {
    const name = escapeWithin(nameOf(label), Math.min(card.label, maxLength >> 1), platform)
    const length = Math.min(card.value, DETAIL_LENGTH, maxLength - name.length)
    return { type: 'field', label: name, value: escapeWithin(value, length, platform) || '—' }
  }
  const share = computeFairShare(details.map(detail => lengthOf(toField(detail, availableLength))), availableLength)
  const fields = details.map((detail) => {
    const wholeField = toField(detail, availableLength)
    return lengthOf(wholeField) <= share ? wholeField : toField(detail, share)
  })
  const isShortened = ({ value }: Field, index: number) => fields[index]!.value !== (escape(value) || '—')
  return { fields, shortened: details.filter(isShortened) }
}

/** Returns the max length of each text so that all texts fit. Long texts use the room that short ones leave. */
function computeFairShare(lengths: readonly number[], availableLength: number): number {
  let remaining = availableLength
  for (const [index, length] of lengths.toSorted((a, b) => a - b).entries()) {
    const share = Math.floor(remaining / (lengths.length - index))
    if (length > share) return share
    remaining -= length
  }
  return availableLength
}

function lengthOf({ label, value }: FieldElement): number {
  return label.length + value.length
}

function nameOf(label: string): string {
  return fieldName(label, label.length + 1)
}

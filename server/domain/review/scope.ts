import type { Scope, ReviewBoard } from '../../ports/board'
import type { Form, Forms } from '../../ports/form'
import type { CardRef, Submission, Work } from '../../ports/submission'
import { sameCard } from '../lifecycle/record'

export interface PlacePorts {
  presentation: { forms: Forms }
  board: Pick<ReviewBoard, 'roomOf'>
}

/**
 * Whether a submission may be seen and decided at this place: a room of its form, or one with a card of it. The form
 * counts without the record of a card, because a click may come before that is written; a card counts without the form,
 * which may have other rooms by now, or be gone. What is held is of no room until it is released.
 */
export function belongsTo(
  place: Scope, { form, cards, state }: Pick<Submission, 'form' | 'cards' | 'state'>,
  { presentation: { forms }, board }: PlacePorts,
): boolean {
  if (state === 'held') return place === 'everywhere'
  return isFormOf(place, form, forms) || cards.some(card => place.includes(board.roomOf(card)))
}

/** Whether a form's cards go to this place; those of a form that is not configured any more go nowhere. */
export function isFormOf(place: Scope, key: string | undefined, forms: Pick<Forms, 'of' | 'find'>): boolean {
  return place === 'everywhere' || isRoomOf(place, key === undefined ? forms.of(key) : forms.find(key))
}

/** Whether the cards of any form go to this place. */
export function isRoom(place: Scope, forms: Pick<Forms, 'rooms'>): boolean {
  return place === 'everywhere' || isRoomOf(place, forms)
}

/** The room of its form that has no card of it any more when this one is gone; null where there is another one. */
export function missingIn(
  { form, cards }: Pick<Submission, 'form' | 'cards'>, card: CardRef,
  { presentation: { forms }, board }: { presentation: { forms: Forms }, board: Pick<ReviewBoard, 'placeOf'> },
): string | null {
  const place = board.placeOf(card)
  const hasOther = cards.some(other => !sameCard(other, card) && isSamePlace(place, board.placeOf(other)))
  return hasOther ? null : forms.of(form).rooms.find(room => place.includes(room)) ?? null
}

/** What people call a room that is not the only one of its platform: `Slack: C1`. */
export function labelOf(room: string, board: Pick<ReviewBoard, 'label'>): string {
  return `${board.label(room)}: ${room.slice(room.indexOf('/') + 1)}`
}

/** What people call a room, or that of a card, by its platform. */
export type Named = (room: string, card?: CardRef) => string

/**
 * What people call a room: its platform, or that and the channel beside the platform's own.
 *
 * @param cards all that a submission has
 */
export function roomName(board: Pick<ReviewBoard, 'label' | 'placeOf'>, cards: readonly CardRef[]): Named {
  return (room, card) => {
    const key = card ? roomOfWork({ card }, cards, board) ?? room : room
    return key.includes('/') ? labelOf(key, board) : board.label(key)
  }
}

/**
 * The room that a piece of work is in, as `roomName` takes it. For a card it is the platform alone, as long as no other
 * card is there.
 */
export function roomOfWork(
  { room, card }: Pick<Work, 'room' | 'card'>, cards: readonly CardRef[],
  board: Pick<ReviewBoard, 'placeOf'>,
): string | undefined {
  if (room !== undefined || !card) return room
  const { platform } = card
  const isOne = cards.filter(other => other.platform === platform).length === 1
  return isOne ? platform : roomOfCard(card, board)
}

/** The room that a card is in: its platform's own, or another one as `Form.rooms` names it. */
export function roomOfCard(card: CardRef, board: Pick<ReviewBoard, 'placeOf'>): string {
  const names = board.placeOf(card)
  return names.includes(card.platform) ? card.platform : names[0] ?? card.platform
}

/** Whether two places are of one room. */
export function isSamePlace(one: Scope, other: Scope): boolean {
  return one === 'everywhere' || other === 'everywhere' || one.some(name => other.includes(name))
}

function isRoomOf(place: readonly string[], form: Pick<Form, 'rooms'> | null): boolean {
  return form?.rooms.some(room => place.includes(room)) ?? false
}

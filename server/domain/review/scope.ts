import type { Scope, ReviewBoard } from '../../ports/board'
import type { Forms } from '../../ports/form'
import type { CardRef, SubmissionRecord, WorkTarget } from '../../ports/submission'
import type { Context } from '../context'
import { sameCard } from '../lifecycle/record'

/**
 * True if a submission may be seen and decided in this scope: a room of its form, or a room with one of its cards that
 * is no copy. A
 * room of the form needs no recorded card, because a click may come before the card is recorded. A room with a card
 * need not be a room of the form, because the form may have been changed or removed. Quarantined submissions belong to
 * no room.
 */
export function belongsTo(
  scope: Scope, { form, cards, state }: SubmissionRecord, { forms, board }: Context,
): boolean {
  if (state === 'held') return scope === 'everywhere'
  return isFormOf(scope, form, forms) || cards.some(card => !card.isCopy && scope.includes(board.roomOf(card)))
}

/** True if a form's cards go to this scope; the cards of a removed form go nowhere. */
export function isFormOf(scope: Scope, key: string | undefined, forms: Forms): boolean {
  return scope === 'everywhere' || isRoomOf(scope, key === undefined ? forms.of(key) : forms.find(key))
}

/** True if the cards of any form go to this scope. */
export function isRoom(scope: Scope, forms: Forms): boolean {
  return scope === 'everywhere' || isRoomOf(scope, forms)
}

/** Room of the form that has no other card than this one; null if it has another card. */
export function missingIn(
  { form, cards }: SubmissionRecord, card: CardRef, { forms, board }: Context,
): string | null {
  const scope = board.placeOf(card)
  const hasOther = cards.some(other => (
    !other.isCopy && !sameCard(other, card) && isSamePlace(scope, board.placeOf(other))
  ))
  return hasOther ? null : forms.of(form).rooms.find(room => scope.includes(room)) ?? null
}

/** Name of a room on a platform with several rooms, e.g. `Slack: C1`. */
export function labelOf(room: string, board: ReviewBoard): string {
  return `${board.label(room)}: ${room.slice(room.indexOf('/') + 1)}`
}

/** Returns the name of a room, or of a card's room on that platform. */
export type Named = (room: string, card?: CardRef) => string

/**
 * Names a room by its platform, or by platform and channel if it is not the platform's own room.
 *
 * @param cards all cards of the submission
 */
export function roomName(board: ReviewBoard, cards: readonly CardRef[]): Named {
  return (room, card) => {
    const key = card ? roomOfWork({ card }, cards, board) ?? room : room
    return key.includes('/') ? labelOf(key, board) : board.label(key)
  }
}

/**
 * Returns the room of a piece of work, written as `roomName` expects it. For a card this is the platform alone if the
 * submission has only one card there.
 */
export function roomOfWork(
  { room, card }: Partial<WorkTarget>, cards: readonly CardRef[], board: ReviewBoard,
): string | undefined {
  if (room !== undefined || !card) return room
  const { platform } = card
  const isOnlyCard = cards.filter(other => other.platform === platform).length === 1
  return isOnlyCard ? platform : roomOfCard(card, board)
}

/** Room of a card, written as in `Form.rooms`. */
export function roomOfCard(card: CardRef, board: ReviewBoard): string {
  const rooms = board.placeOf(card)
  return rooms.includes(card.platform) ? card.platform : rooms[0] ?? card.platform
}

/** True if two scopes share a room. */
export function isSamePlace(scope: Scope, otherScope: Scope): boolean {
  return scope === 'everywhere' || otherScope === 'everywhere' || scope.some(name => otherScope.includes(name))
}

function isRoomOf(scope: readonly string[], form: { rooms: readonly string[] } | null): boolean {
  return form?.rooms.some(room => scope.includes(room)) ?? false
}

import { cardView } from '../../server/domain/cards/card-view'
import { plainText } from '../../shared/utils/line'
import type { RichText } from '../../shared/types/line'

/** Replaces every rich text in a value with plain text, with times in UTC. */
export function inWords<T>(value: T): T {
  if (isLine(value)) return plainText(value) as T
  if (Array.isArray(value)) return value.map(inWords) as T
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, inWords(inner)])) as T
}

function isLine(value: unknown): value is RichText {
  return Array.isArray(value) && value.some(isMoment)
    && value.every(part => typeof part === 'string' || isMoment(part))
}

const isMoment = (value: unknown): boolean => typeof value === 'object' && value !== null && 'shows' in value

/** Returns the card of a submission as plain text with times in UTC. */
export function cardInWords(...[submission, presentation]: Parameters<typeof cardView>) {
  return inWords(cardView(submission, presentation))
}

import type { AdapterPostableMessage, CardElement, PostableCard, TextElement } from 'chat'
import { plainText } from '../../../shared/utils/line'
import { cut } from '../../../shared/utils/text'
import type { Platform } from '../traits'
import { lineOf, lineText } from './elements'

/** Maximum length of a card's plain text, which notifications show. */
export const SUMMARY_LENGTH = 280

/** Card as our adapters post it: its texts are escaped for the platform, `fallbackText` is plain. */
export interface PostableSpeech extends PostableCard {
  fallbackText: string
  /** Text that notifies a person, in the platform's own notation. */
  mention?: string
}

/** Returns the card of a message; null if it has none. */
export function speechIn(message: AdapterPostableMessage): PostableSpeech | null {
  if (typeof message !== 'object') return null
  if ('card' in message) return { fallbackText: summaryOf(message.card), ...message }
  return 'type' in message && message.type === 'card' ? { card: message, fallbackText: summaryOf(message) } : null
}

/** Converts the card's plain texts to the platform's notation. */
export function literal(card: CardElement, notation: Pick<Platform, 'escape' | 'moment'>): CardElement {
  return { ...card, children: card.children.map(child => (
    child.type === 'text'
      ? { ...child, content: lineText(lineOf(child), notation) }
      : child
  )) }
}

/** Rendered texts of a card, for messages without card elements. */
export function wordsOf({ children }: CardElement, textOf = (text: TextElement) => text.content): string {
  return children.flatMap(child => child.type === 'text' ? textOf(child) : []).join('\n')
}

/** Rendered texts of a card, with timestamps as plain text. */
export function plainWordsOf(card: CardElement): string {
  return wordsOf(card, text => plainText(lineOf(text)))
}

function summaryOf({ title, children }: CardElement): string {
  const firstText = children.find(child => child.type === 'text')
  return cut((title ?? firstText?.content ?? 'A card').replace(/\s+/g, ' '), SUMMARY_LENGTH)
}

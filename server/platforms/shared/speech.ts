import type { AdapterPostableMessage, CardElement, PostableCard, TextElement } from 'chat'
import { plainText } from '../../../shared/utils/line'
import { cut } from '../../../shared/utils/text'
import type { Platform } from '../traits'
import { lineOf, lineText } from './elements'

/** Longest plain text of a card, which notifications show. */
export const SUMMARY_LENGTH = 280

/** A card as our adapters post it: its texts are escaped for the platform, `fallbackText` is plain. */
export interface PostableSpeech extends PostableCard {
  fallbackText: string
  /** Notifies whom it names, in the platform's own notation. */
  mention?: string
}

/** The card of a message, if it is one. */
export function speechIn(message: AdapterPostableMessage): PostableSpeech | null {
  if (typeof message !== 'object') return null
  if ('card' in message) return { fallbackText: summaryOf(message.card), ...message }
  return 'type' in message && message.type === 'card' ? { card: message, fallbackText: summaryOf(message) } : null
}

/** The card with its texts, which are plain, as the platform shows them. */
export function literal(card: CardElement, writing: Pick<Platform, 'escape' | 'moment'>): CardElement {
  return { ...card, children: card.children.map(child => (
    child.type === 'text'
      ? { ...child, content: lineText(lineOf(child), writing) }
      : child
  )) }
}

/** The texts of a card as they were rendered, for where there are words only. */
export function wordsOf({ children }: CardElement, said = (text: TextElement) => text.content): string {
  return children.flatMap(child => child.type === 'text' ? said(child) : []).join('\n')
}

/** The same for where a moment is words, too. */
export function plainWordsOf(card: CardElement): string {
  return wordsOf(card, text => plainText(lineOf(text)))
}

function summaryOf({ title, children }: CardElement): string {
  const first = children.find(child => child.type === 'text')
  return cut((title ?? first?.content ?? 'A card').replace(/\s+/g, ' '), SUMMARY_LENGTH)
}

import type { AdapterPostableMessage, CardElement, PostableCard } from 'chat'
import { cut } from './text'

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

function summaryOf({ title, children }: CardElement): string {
  const first = children.find(child => child.type === 'text')
  return cut((title ?? first?.content ?? 'A card').replace(/\s+/g, ' '), SUMMARY_LENGTH)
}

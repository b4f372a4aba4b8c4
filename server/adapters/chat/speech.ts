import { Actions, Button, Card, CardLink, CardText, Field, Fields, type AdapterPostableMessage, type CardChild, type CardElement, type PostableCard } from 'chat'
import type { Answer, Speech, SpeechItem } from '../../ports/conversation'
import { escapeWithin, renderCard } from './cards'
import type { Platform } from './platforms'
import { cut, fieldName } from './text'

/** Longest paragraph; Slack takes 3,000 characters (https://docs.slack.dev/reference/block-kit/blocks/section-block). */
const PARAGRAPH_LENGTH = 2000

/** Longest name or preview of an item. */
const ITEM_LENGTH = 600

const SUMMARY_LENGTH = 280

/** A card as our adapters post it: its texts are escaped for the platform, `fallbackText` is plain. */
export interface PostableSpeech extends PostableCard {
  fallbackText: string
  /** Notifies whom it names, in the platform's own notation. */
  mention?: string
}

/** Renders what the bot says for a thread of the platform, with everything from users and forms escaped for it. */
export function renderAnswer(answer: Answer, platform: Platform): PostableSpeech {
  if ('speech' in answer) return renderSpeech(answer.speech, platform)
  const { card, summary } = renderCard(answer.card, platform)
  return { card, fallbackText: summary }
}

/** The card of a message, if it is one. */
export function speechIn(message: AdapterPostableMessage): PostableSpeech | null {
  if (typeof message !== 'object') return null
  if ('card' in message) return { fallbackText: summaryOf(message.card), ...message }
  return 'type' in message && message.type === 'card' ? { card: message, fallbackText: summaryOf(message) } : null
}

function renderSpeech({ text, items = [], buttons = [], mention }: Speech, platform: Platform): PostableSpeech {
  const mentions = platform.mention ? mention?.match(platform.mention)?.join(' ') : mention
  const card = Card({
    children: [
      ...text.map(paragraph => CardText(escapeWithin(paragraph, PARAGRAPH_LENGTH, platform))),
      ...itemParts(items, platform),
      ...buttons.length > 0 ? [Actions(buttons.map(({ id, label, primary }) => Button({ id, label, style: primary ? 'primary' : 'default' })))] : [],
    ],
  })
  return { card, fallbackText: cut(text.join(' ').replace(/\s+/g, ' '), SUMMARY_LENGTH), ...mentions ? { mention: mentions } : {} }
}

/** Items with a page of their own stand apart, above their link; the others stand together. */
function itemParts(items: readonly SpeechItem[], platform: Platform): CardChild[] {
  const field = ({ label, value }: SpeechItem) => Field({
    label: escapeWithin(fieldName(label, platform.card.label), platform.card.label, platform), value: escapeWithin(value, ITEM_LENGTH, platform) || '—',
  })
  const plain = items.filter(({ link }) => !link)
  return [
    ...plain.length > 0 ? [Fields(plain.map(field))] : [],
    ...items.flatMap(item => item.link ? [Fields([field(item)]), CardLink(item.link)] : []),
  ]
}

function summaryOf({ title, children }: CardElement): string {
  const first = children.find(child => child.type === 'text')
  return cut((title ?? first?.content ?? 'A card').replace(/\s+/g, ' '), SUMMARY_LENGTH)
}

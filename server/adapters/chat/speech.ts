import { Actions, Button, Card, CardLink, CardText, Field, Fields, type CardChild } from 'chat'
import type { Answer, Speech, SpeechItem } from '../../ports/conversation'
import { escapeWithin, renderCard } from './cards'
import type { Platform } from '../../platforms/traits'
import { SUMMARY_LENGTH, type PostableSpeech } from '../../platforms/shared/speech'
import { cut, fieldName } from '../../platforms/shared/text'

/**
 * Longest paragraph; Slack takes 3,000 characters (https://docs.slack.dev/reference/block-kit/blocks/section-block).
 */
const PARAGRAPH_LENGTH = 2000

/** Longest name or preview of an item. */
const ITEM_LENGTH = 600

/** Renders what the bot says for a thread of the platform, with everything from users and forms escaped for it. */
export function renderAnswer(answer: Answer, platform: Platform): PostableSpeech {
  if ('speech' in answer) return renderSpeech(answer.speech, platform)
  const { card, summary } = renderCard(answer.card, platform)
  return { card, fallbackText: summary }
}

function renderSpeech({ text, items = [], buttons = [], mention }: Speech, platform: Platform): PostableSpeech {
  const mentions = platform.mention ? mention?.match(platform.mention)?.join(' ') : mention
  const card = Card({
    children: [
      ...text.map(paragraph => CardText(escapeWithin(paragraph, PARAGRAPH_LENGTH, platform))),
      ...itemParts(items, platform),
      ...buttons.length > 0
        ? [Actions(
            buttons.map(({ id, label, primary }) => Button({ id, label, style: primary ? 'primary' : 'default' })),
          )]
        : [],
    ],
  })
  return {
    card, fallbackText: cut(text.join(' ').replace(/\s+/g, ' '), SUMMARY_LENGTH),
    ...mentions ? { mention: mentions } : {},
  }
}

/** Items with a page of their own stand apart, above their link; the others stand together. */
function itemParts(items: readonly SpeechItem[], platform: Platform): CardChild[] {
  const field = ({ label, value }: SpeechItem) => Field({
    label: escapeWithin(fieldName(label, platform.card.label), platform.card.label, platform),
    value: escapeWithin(value, ITEM_LENGTH, platform) || '—',
  })
  const plain = items.filter(({ link }) => !link)
  return [
    ...plain.length > 0 ? [Fields(plain.map(field))] : [],
    ...items.flatMap(item => item.link ? [Fields([field(item)]), CardLink(item.link)] : []),
  ]
}

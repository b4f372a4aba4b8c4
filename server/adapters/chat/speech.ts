import { Actions, Button, Card, CardLink, Field, Fields, Section, type CardChild } from 'chat'
import { english } from '../../../shared/texts'
import { plainText } from '../../../shared/utils/line'
import type { SpeechButton } from '../../ports/board'
import type { BotAnswer, Speech, SpeechItem } from '../../ports/conversation'
import { escapeWithin, fitted, lengthOf, renderCard, textElement } from './cards'
import type { LineField } from '../../platforms/shared/elements'
import type { Platform } from '../../platforms/traits'
import { SUMMARY_LENGTH, type PostableSpeech } from '../../platforms/shared/speech'
import { cut } from '../../../shared/utils/text'
import { fieldName } from '../../platforms/shared/text'

/**
 * Max characters of a paragraph; Slack takes 3,000 (https://docs.slack.dev/reference/block-kit/blocks/section-block).
 */
const PARAGRAPH_LENGTH = 2000

const ITEM_LENGTH = 600

/** Characters reserved for an item's link if links are text. A longer link takes room from the item's text. */
const LINK_LENGTH = 120

/** Renders a message of the bot for a thread of the platform, with all text from users and forms escaped. */
/** @param texts for cards; other messages are in English */
export function renderAnswer(answer: BotAnswer, platform: Platform, texts = english): PostableSpeech {
  if ('speech' in answer) return renderSpeech(answer.speech, platform)
  const { card, summary } = renderCard(answer.card, platform, texts)
  return { card, fallbackText: summary }
}

function renderSpeech({ text, items = [], buttons = [], mention }: Speech, platform: Platform): PostableSpeech {
  const mentions = platform.mention ? mention?.match(platform.mention)?.join(' ') : mention
  const card = Card({
    children: [
      ...text.map(paragraph => textElement(paragraph, platform, { length: PARAGRAPH_LENGTH })),
      ...itemParts(items, platform),
      ...buttons.length > 0
        ? [Actions(buttons.map(buttonOf))]
        : [],
    ],
  })
  return {
    card, fallbackText: cut(text.map(plainText).join(' ').replace(/\s+/g, ' '), SUMMARY_LENGTH),
    ...mentions ? { mention: mentions } : {},
  }
}

function buttonOf({ id, label, primary, value }: SpeechButton) {
  return Button({ id, label, style: primary ? 'primary' : 'default', ...value === undefined ? {} : { value } })
}

/** Shows each item that has a link or a button separately, with that link or button. Shows the other items together. */
function itemParts(items: readonly SpeechItem[], platform: Platform): CardChild[] {
  const toField = ({ label, value, link }: SpeechItem): LineField => {
    const linkLength = link && platform.card.links ? Math.max(lengthOf([link], platform) - LINK_LENGTH, 0) : 0
    const { content, line } = fitted(value, ITEM_LENGTH - linkLength, platform)
    return {
      ...Field({
        label: escapeWithin(fieldName(label, platform.card.label), platform.card.label, platform),
        value: content || '—',
      }),
      line,
    }
  }
  const plainItems = items.filter(({ link, button }) => !link && !button)
  return [
    ...plainItems.length > 0 ? [Fields(plainItems.map(toField))] : [],
    ...items.filter(item => !plainItems.includes(item)).map(item => Section([
      Fields([toField(item)]), ...item.link ? [CardLink(item.link)] : [],
      ...item.button ? [Actions([buttonOf(item.button)])] : [],
    ])),
  ]
}

import { Actions, Card, CardText, type ButtonElement, type CardChild, type CardElement, type PostableRaw } from 'chat'
import { cut } from '../../../shared/utils/text'
import { escapeWhatsApp, linkLines } from './escape'

/** Limits of a message with buttons, in characters. */
const HEAD_LENGTH = 60
const BODY_LENGTH = 1024
const BUTTON_LENGTH = 20

type Postable = CardElement | PostableRaw

/**
 * Prepares a card for the adapter, which sends only the first row of buttons, drops links next to buttons, and escapes
 * text with backslashes, which WhatsApp shows.
 */
export function messageOf({ title, children }: CardElement): Postable {
  const parts = children.flatMap(child => child.type === 'section' ? child.children : [child])
  const buttons = parts.flatMap(buttonsIn)
  const links = linkLines(parts.filter(part => part.type === 'link'))
  if (buttons.length === 0) return { raw: [...renderTitle(title), ...parts.flatMap(renderText), ...links].join('\n\n') }
  const [text, footer] = [parts.flatMap(renderText).join('\n\n'), links.join('\n')]
  const body = [cut(text, BODY_LENGTH - footer.length - 2), footer].filter(Boolean).join('\n\n')
  return Card({
    title: title && cut(title, HEAD_LENGTH), children: [CardText(cut(body, BODY_LENGTH)), Actions(buttons)],
  })
}

/** Message with a card's new state, to be sent below it; the fields and buttons are above. Null if there is no text. */
export function updateOf({ title, children }: CardElement): PostableRaw | null {
  const texts = children.filter(({ type }) => type === 'text').flatMap(renderText)
  return texts.length === 0 ? null : { raw: [...renderTitle(title), ...texts].join('\n') }
}

function renderTitle(title: string | undefined): string[] {
  return title ? [`*${escapeWhatsApp(title)}*`] : []
}

function renderText(child: CardChild): string[] {
  if (child.type === 'text') return [child.content]
  if (child.type === 'fields') return [child.children.map(({ label, value }) => `${label}: ${value}`).join('\n')]
  return []
}

function buttonsIn(child: CardChild): ButtonElement[] {
  if (child.type !== 'actions') return []
  const buttons = child.children.filter(each => each.type === 'button')
  return buttons.map(button => ({ ...button, label: cut(button.label, BUTTON_LENGTH) }))
}

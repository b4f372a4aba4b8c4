import { Buffer } from 'node:buffer'
import type { Json } from './adaptive-card'

const MAX_BYTES = 32_000
const MAX_WIDGETS = 100

/** Tags that cards render (https://developers.google.com/workspace/chat/format-messages#card-formatting) */
const TAG = /<(\/?)(b|i|u|s|font|a)((?: [a-z]+="[^"<>]*")?)>/g

/** Returns the reasons why Google Chat would refuse the message, cut it, or show something else. */
export function googleMessageProblems(message: Json): string[] {
  const cards = message.cardsV2 as { cardId: string, card: Json }[]
  const widgets = cards.flatMap(({ card }) => (card.sections as Json[]).flatMap(section => section.widgets as Json[]))
  return [
    ...Buffer.byteLength(JSON.stringify(message)) > MAX_BYTES ? [`It has more than ${MAX_BYTES} bytes.`] : [],
    ...widgets.length > MAX_WIDGETS ? [`It has more than ${MAX_WIDGETS} widgets.`] : [],
    ...widgets.length === 0 ? ['A card without widgets.'] : [],
    ...widgets.flatMap(widgetProblems),
  ]
}

function widgetProblems(widget: Json): string[] {
  const [[kind = '', content] = []] = Object.entries(widget)
  switch (kind) {
    case 'textParagraph': return htmlProblems(content.text)
    case 'image': return /^https:/.test(content.imageUrl) && content.altText ? [] : ['A picture without an address.']
    case 'divider': return []
    case 'buttonList': return (content.buttons as Json[]).flatMap(buttonProblems)
    default: return [`Unknown widget ${kind}.`]
  }
}

function buttonProblems({ text, onClick }: Json): string[] {
  const { action, openLink } = onClick
  return [
    ...text ? [] : ['A button without text.'],
    ...action && !URL.canParse(action.function) ? ['A function that is not the address of the app.'] : [],
    ...action ?? openLink ? [] : ['A button that does nothing.'],
  ]
}

function htmlProblems(html: string): string[] {
  const open: string[] = []
  const problems = html.isWellFormed() ? [] : ['Text that is not well-formed.']
  for (const [, end, tag = ''] of html.matchAll(TAG)) {
    if (!end) open.push(tag)
    else if (open.pop() !== tag) problems.push(`An end of ${tag} that was not begun.`)
  }
  const rest = html.replace(TAG, '').replace(/&(?:amp|lt|gt|quot);/g, '')
  return [
    ...problems, ...open.length > 0 ? ['A tag that does not end.'] : [],
    ...(/[<>&"]/.test(rest.replaceAll('"', '')) ? ['Markup from outside.'] : []),
  ]
}

/** Returns the text that people read, and its link targets. */
export function googleCardText(message: Json): { text: string, links: string[] } {
  const html = googleWidgets(message).map(({ textParagraph }) => (
    textParagraph?.text as string | undefined ?? ''
  )).join('\n')
  const links = [...html.matchAll(/<a href="([^"]*)">/g)].map(([, url = '']) => url)
  const entities: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"' }
  return { text: html.replace(TAG, '').replace(/&(?:amp|lt|gt|quot);/g, entity => entities[entity]!), links }
}

function googleWidgets({ cardsV2 }: Json): Json[] {
  return (cardsV2 as Json[]).flatMap(({ card }) => (
    (card.sections as Json[]).flatMap(section => section.widgets as Json[])
  ))
}

export function googleButtons(message: Json): Json[] {
  return googleWidgets(message).flatMap(({ buttonList }) => buttonList?.buttons as Json[] | undefined ?? [])
}

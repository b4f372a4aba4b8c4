import { Buffer } from 'node:buffer'
import type { Json } from './adaptive-card'
import { broken } from './rules'

/** Tags that cards render (https://developers.google.com/workspace/chat/format-messages#card-formatting) */
const TAG = /<(\/?)(b|i|u|s|font|a)((?: [a-z]+="[^"<>]*")?)>/g

/** Returns the reasons why Google Chat would refuse the message, cut it, or show something else. */
export function googleMessageProblems(message: Json): string[] {
  const widgets = googleWidgets(message)
  return [
    ...broken({
      'more than 32,000 bytes': Buffer.byteLength(JSON.stringify(message)) > 32_000,
      'no widgets, or more than 100': widgets.length < 1 || widgets.length > 100,
    }),
    ...widgets.flatMap(({ textParagraph, image, buttonList }) => [
      ...textParagraph ? htmlProblems(textParagraph.text) : [],
      ...broken({ 'a picture without an address': image && !(/^https:/.test(image.imageUrl) && image.altText) }),
      ...(buttonList?.buttons as Json[] | undefined ?? []).flatMap(buttonProblems),
    ]),
  ]
}

const buttonProblems = ({ text, onClick: { action, openLink } }: Json) => broken({
  'a button without text': !text, 'a button that does nothing': !action && !openLink,
  'a function that is not the address of the app': action && !URL.canParse(action.function),
})

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

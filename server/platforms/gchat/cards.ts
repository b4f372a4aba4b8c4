import type { ActionsElement, CardChild, CardElement } from 'chat'
import { escapeHtml } from '../../../shared/utils/text'
import { printable } from '../shared/text'

type Json = Record<string, unknown>

const COLORS: Readonly<Record<string, Json>> = {
  primary: { red: 0.1, green: 0.45, blue: 0.91, alpha: 1 },
  danger: { red: 0.85, green: 0.19, blue: 0.15, alpha: 1 },
}

const MUTED = '#5f6368'

/** Card texts are a subset of HTML (https://developers.google.com/workspace/chat/format-messages#card-formatting). */
export function escapeText(text: string): string {
  return escapeHtml(printable(text))
}

/**
 * Renders a card whose texts are already escaped. The SDK is not used: it cuts values after one line and reads `**` as
 * markdown.
 *
 * @param endpointUrl our webhook, to which Google sends clicks
 */
export function googleCard({ title, children }: CardElement, endpointUrl: string): Json {
  return {
    cardId: 'submission',
    card: { ...title ? { header: { title } } : {}, sections: [
      { widgets: children.flatMap(child => renderWidgets(child, endpointUrl)) },
    ] },
  }
}

function renderWidgets(child: CardChild, endpointUrl: string): Json[] {
  switch (child.type) {
    case 'fields': return child.children.map(({ label, value }) => renderParagraph(`<b>${label}</b>\n${value}`))
    case 'text': return [
      renderParagraph(child.style === 'muted' ? `<font color="${MUTED}">${child.content}</font>` : child.content),
    ]
    case 'link': return [renderParagraph(`<a href="${escapeText(child.url)}">${escapeText(child.label)}</a>`)]
    case 'image': return [{ image: { imageUrl: child.url, altText: child.alt } }]
    case 'divider': return [{ divider: {} }]
    case 'section': return child.children.flatMap(part => renderWidgets(part, endpointUrl))
    case 'actions': return [{ buttonList: { buttons: renderButtons(child, endpointUrl) } }]
    default: return []
  }
}

function renderParagraph(text: string): Json {
  return { textParagraph: { text } }
}

function renderButtons({ children }: ActionsElement, endpointUrl: string): Json[] {
  return children.flatMap((child): Json[] => {
    if (child.type === 'link-button') return [{ text: child.label, onClick: { openLink: { url: child.url } } }]
    if (child.type !== 'button') return []
    const parameters = [
      { key: 'actionId', value: child.id }, ...child.value ? [{ key: 'value', value: child.value }] : [],
    ]
    return [{
      text: child.label, onClick: { action: { function: endpointUrl, parameters } },
      ...child.style && child.style in COLORS ? { color: COLORS[child.style] } : {},
    }]
  })
}

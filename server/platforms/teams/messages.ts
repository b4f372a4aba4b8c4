import type { CardElement } from 'chat'
import { adaptiveCard } from './cards'

/** Where a conversation's messages are posted; `/<id>` behind it is one of them. */
export function activities(conversation: string): string {
  return `/v3/conversations/${encodeURIComponent(conversation)}/activities`
}

/** @param summary what notifications say */
export function cardActivity(card: CardElement, summary: string, appId: string): object {
  const attachment = { contentType: 'application/vnd.microsoft.card.adaptive', content: adaptiveCard(card) }
  return { type: 'message', from: { id: appId, role: 'bot' }, summary, attachments: [attachment] }
}

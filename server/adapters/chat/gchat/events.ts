interface ClassicEvent {
  type?: string
  user?: unknown
  space?: unknown
  message?: unknown
  common?: { invokedFunction?: string, parameters?: Record<string, string> }
}

/** Payload of an add-on's event, by the type of a Chat app's (https://developers.google.com/workspace/add-ons/chat/convert). */
const PAYLOADS = new Map(Object.entries({
  MESSAGE: 'messagePayload',
  CARD_CLICKED: 'buttonClickedPayload',
  ADDED_TO_SPACE: 'addedToSpacePayload',
  REMOVED_FROM_SPACE: 'removedFromSpacePayload',
}))

/**
 * An event of a Chat app in the shape of a Workspace add-on's; anything else as it is.
 * (https://developers.google.com/workspace/chat/api/reference/rest/v1/Event)
 */
export function modernEvent(body: string): string {
  const event = parse(body)
  const payload = event?.type && PAYLOADS.get(event.type)
  if (!payload) return body
  const { user, space, message, common } = event
  return JSON.stringify({ chat: { user, [payload]: { user, space, message } }, commonEventObject: common })
}

function parse(body: string): ClassicEvent | null {
  try {
    return JSON.parse(body) as ClassicEvent | null
  }
  catch {
    return null
  }
}

import { jsonIn } from '../../../shared/utils/json'

interface ClassicEvent {
  type?: string
  eventTime?: unknown
  user?: unknown
  space?: unknown
  message?: unknown
  common?: { invokedFunction?: string, parameters?: Record<string, string> }
}

/**
 * Payload name in an add-on's event, by a Chat app's event type
 * (https://developers.google.com/workspace/add-ons/chat/convert).
 */
const PAYLOADS = new Map(Object.entries({
  MESSAGE: 'messagePayload',
  CARD_CLICKED: 'buttonClickedPayload',
  ADDED_TO_SPACE: 'addedToSpacePayload',
  REMOVED_FROM_SPACE: 'removedFromSpacePayload',
}))

/** Fields of a message event that are read here */
interface MessagePayload {
  space?: { type?: string, spaceType?: string }
  message?: {
    annotations?: { type?: string, userMention?: { user?: { name?: string | null, type?: string | null } } }[]
  }
}

/**
 * Converts an event of a Chat app to that of a Workspace add-on; leaves anything else unchanged.
 * (https://developers.google.com/workspace/chat/api/reference/rest/v1/Event)
 */
export function modernEvent(body: string): string {
  const event = jsonIn(body) as ClassicEvent | null | undefined
  const payload = event?.type && PAYLOADS.get(event.type)
  const addOnEvent = payload
    ? { chat: { user: event.user, eventTime: event.eventTime, [payload]: {
        user: event.user, space: event.space, message: event.message,
      } }, commonEventObject: event.common }
    : event
  const isDated = dateMessage(addOnEvent)
  return payload || isDated ? JSON.stringify(addOnEvent) : body
}

/** Returns the app's own id, `users/…`, from a message in a space: Google sends only messages that mention the app. */
export function mentionedApp(payload: unknown): string | null {
  const { space } = (payload ?? {}) as MessagePayload
  const isDirect = space?.type === 'DM' || space?.spaceType === 'DIRECT_MESSAGE'
  const [app, ...otherApps] = isDirect ? [] : mentionedApps(payload)
  return app && otherApps.length === 0 ? app : null
}

/** Returns every app that the message mentions, as `users/…`. */
export function mentionedApps(payload: unknown): string[] {
  return [...new Set(listMentions(payload, 'BOT'))]
}

/** Returns everybody that the message mentions, as `users/…`, in order of mention. */
export function mentionedPeople(payload: unknown): string[] {
  return listMentions(payload, 'HUMAN')
}

function listMentions(payload: unknown, kind: 'BOT' | 'HUMAN'): string[] {
  const { message } = (payload ?? {}) as MessagePayload
  const annotations = Array.isArray(message?.annotations) ? message.annotations : []
  const users = annotations.filter(({ type }) => type === 'USER_MENTION').map(({ userMention }) => userMention?.user)
  return users.flatMap(user => user?.type === kind && user.name ? [user.name] : [])
}

/** Adds the event's time to a message without a time, which the SDK would drop. @returns true if it had none */
function dateMessage(event: unknown): boolean {
  const { chat } = (event ?? {}) as {
    chat?: { eventTime?: unknown, messagePayload?: { message?: { createTime?: unknown } } }
  }
  const message = chat?.messagePayload?.message
  if (typeof message !== 'object' || message === null || isTime(message.createTime)) return false
  message.createTime = isTime(chat?.eventTime) ? chat?.eventTime : new Date().toISOString()
  return true
}

function isTime(value: unknown): boolean {
  return typeof value === 'string' && !Number.isNaN(Date.parse(value))
}

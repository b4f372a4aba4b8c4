import { jsonIn } from '../../../shared/utils/json'

interface ClassicEvent {
  type?: string
  eventTime?: unknown
  user?: unknown
  space?: unknown
  message?: unknown
  common?: { invokedFunction?: string, parameters?: Record<string, string> }
}

/** Payload of an add-on's event, by a Chat app's type (https://developers.google.com/workspace/add-ons/chat/convert). */
const PAYLOADS = new Map(Object.entries({
  MESSAGE: 'messagePayload',
  CARD_CLICKED: 'buttonClickedPayload',
  ADDED_TO_SPACE: 'addedToSpacePayload',
  REMOVED_FROM_SPACE: 'removedFromSpacePayload',
}))

/** What came with a message, as far as it is read here. */
interface MessagePayload {
  space?: { type?: string, spaceType?: string }
  message?: {
    annotations?: { type?: string, userMention?: { user?: { name?: string | null, type?: string | null } } }[]
  }
}

/**
 * An event of a Chat app in the shape of a Workspace add-on's; anything else as it is.
 * (https://developers.google.com/workspace/chat/api/reference/rest/v1/Event)
 */
export function modernEvent(body: string): string {
  const event = jsonIn(body) as ClassicEvent | null | undefined
  const payload = event?.type && PAYLOADS.get(event.type)
  const modern = payload
    ? { chat: { user: event.user, eventTime: event.eventTime, [payload]: {
        user: event.user, space: event.space, message: event.message,
      } }, commonEventObject: event.common }
    : event
  const dated = dateMessage(modern)
  return payload || dated ? JSON.stringify(modern) : body
}

/** The app itself, `users/…`, as a message of a space tells it: Google sends an app those that mention it. */
export function mentionedApp(payload: unknown): string | null {
  const { space } = (payload ?? {}) as MessagePayload
  const isDirect = space?.type === 'DM' || space?.spaceType === 'DIRECT_MESSAGE'
  const [app, ...others] = isDirect ? [] : mentionedApps(payload)
  return app && others.length === 0 ? app : null
}

/** Every app that the message mentions, by `users/…`. */
export function mentionedApps(payload: unknown): string[] {
  return [...new Set(mentioned(payload, 'BOT'))]
}

/** Everybody whom the message mentions, by `users/…`, in this order. */
export function mentionedPeople(payload: unknown): string[] {
  return mentioned(payload, 'HUMAN')
}

function mentioned(payload: unknown, kind: 'BOT' | 'HUMAN'): string[] {
  const { message } = (payload ?? {}) as MessagePayload
  const annotations = Array.isArray(message?.annotations) ? message.annotations : []
  const users = annotations.filter(({ type }) => type === 'USER_MENTION').map(({ userMention }) => userMention?.user)
  return users.flatMap(user => user?.type === kind && user.name ? [user.name] : [])
}

/** Gives a message without a time that of its event: the SDK would drop it. @returns whether it had none */
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

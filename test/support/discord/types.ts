// Discord's JSON as received; the validators check its shape.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Json = Record<string, any>

export interface DiscordUser {
  id: string
  username: string
  global_name: string | null
  discriminator?: string
  avatar?: string | null
  bot?: boolean
}

/** Everybody notified by a message. Mentions in embeds never notify. */
export interface Pings { everyone: boolean, users: string[], roles: string[] }

export interface DiscordMessage {
  id: string
  channel_id: string
  type: number
  author: DiscordUser
  content: string
  timestamp: string
  /** Null until the first edit. */
  edited_timestamp: string | null
  embeds: Json[]
  components: Json[]
  attachments: Json[]
  flags: number
  mentions: DiscordUser[]
  mention_roles: string[]
  mention_everyone: boolean
  tts: boolean
  pinned: boolean
  nonce?: string | number
  reactions?: Json[]
  thread?: Channel
  message_reference?: Json
  interaction_metadata?: Json
  /** Targets notified by the message. Field of this double, never sent */
  pings: Pings
  /** Value from the bot's request. Field of this double, never sent */
  allowed_mentions?: Json
}

export interface Channel {
  id: string
  type: number
  name?: string
  guild_id?: string
  parent_id?: string | null
  last_message_id?: string | null
  recipients?: DiscordUser[]
  [key: string]: unknown
}

export interface Interaction {
  id: string
  token: string
  /** 1 ping, 2 command, 3 component, 5 modal submit */
  type: number
  channelId: string
  user: DiscordUser
  createdAt: number
  /** The message with the component, if any */
  messageId?: string
  /** Type of the first response, once there is one */
  response?: number
  /** Message that `@original` refers to: the response's own message, or the clicked one */
  originalId?: string
  /** Called with the first response received through REST */
  answered?: (body: Json) => void
}

/** One action of the bot on an interaction, in order of arrival */
export interface InteractionResponse {
  interactionId: string
  /** `respond` is the first response; the others go through the interaction's webhook. */
  kind: 'respond' | 'create' | 'edit'
  via: 'http' | 'rest'
  /** Type of a first response */
  type?: number
  data: Json
  messageId?: string
  at: number
}

export interface SendOptions {
  user?: DiscordUser
  /** Headers that replace the real ones; undefined removes a header. */
  headers?: Record<string, string | undefined>
  /** Epoch seconds, included in the signature */
  timestamp?: number
  /** Changes the body after signing. */
  tamper?: (body: string) => string
}

/** A modal on a reviewer's screen */
export interface OpenedModal {
  /** Data of the type 9 response */
  modal: Json
  /** The message whose button opened it */
  message?: DiscordMessage
}

export interface Answer {
  /** HTTP status of the service; 0 without an answer */
  status: number
  /** Parsed if it is JSON */
  body: Json
  /** Set if no answer came in time: the reviewer read "This interaction failed". */
  timedOut?: true
  interactionId: string
  token: string
  /** The modal that a type 9 response opened */
  opened?: OpenedModal
  /** The message that a response of type 4, 5 or 7 posted or changed */
  message?: DiscordMessage
}

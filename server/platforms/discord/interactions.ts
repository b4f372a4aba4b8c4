import type { Author } from 'chat'
import type { ActionRow } from './embeds'

/** https://discord.com/developers/docs/interactions/receiving-and-responding (interaction type) */
export const INTERACTION = { ping: 1, command: 2, component: 3, modal: 5 } as const

/** https://discord.com/developers/docs/interactions/receiving-and-responding (interaction callback type) */
export const REPLY = { pong: 1, message: 4, thinking: 5, silence: 6, update: 7, modal: 9 } as const

/** Only the one who clicked sees the message. */
const EPHEMERAL = 64

/** https://discord.com/developers/docs/resources/message#create-message */
const MESSAGE_LENGTH = 2000

interface DiscordUser {
  id: string
  username: string
  global_name?: string | null
  bot?: boolean
}

/** What the adapter reads of an interaction. */
export interface Interaction {
  id: string
  token: string
  type: number
  member?: { user: DiscordUser, nick?: string | null }
  user?: DiscordUser
  guild_id?: string
  channel_id?: string
  channel?: { type: number, parent_id?: string | null }
  message?: { id: string, flags?: number }
  data?: { custom_id?: string, values?: string[], components?: SubmittedPart[] }
}

/** A label with its input, a row of them, or text. */
interface SubmittedPart {
  component?: SubmittedInput
  components?: SubmittedInput[]
}

interface SubmittedInput {
  custom_id: string
  value?: string | null
  values?: string[]
}

interface MessageData {
  content: string
  components?: ActionRow[]
}

export type Reply
  = | { type: typeof REPLY.pong | typeof REPLY.silence }
    | { type: typeof REPLY.thinking, data?: object }
    | { type: typeof REPLY.message, data: MessageData & { flags: number } }
    | { type: typeof REPLY.update, data: MessageData & { components: ActionRow[] } }
    | { type: typeof REPLY.modal, data: { custom_id: string, title: string, components: object[] } }

export const silence: Reply = { type: REPLY.silence }

/** A message for the one who clicked. It pings nobody, whatever it quotes. */
export function privately(content: string, components: ActionRow[] = []): Reply {
  return { type: REPLY.message, data: { ...bounded(content), flags: EPHEMERAL, components } }
}

/** Changes the private message that was clicked. */
export function instead(content: string, components: ActionRow[] = []): Reply {
  return { type: REPLY.update, data: { ...bounded(content), components } }
}

function bounded(content: string) {
  return { content: content.slice(0, MESSAGE_LENGTH).toWellFormed(), allowed_mentions: { parse: [] } }
}

export function button(label: string, customId: string, style: 1 | 2 | 3 = 2): object {
  return { type: 2, style, label, custom_id: customId }
}

export function row(...components: object[]): ActionRow {
  return { type: 1, components }
}

/** Whether the interaction comes from one of our private messages, which may be replaced; a card may not. */
export function isFromPrivateMessage({ message }: Interaction): boolean {
  return Boolean((message?.flags ?? 0) & EPHEMERAL)
}

/** Who clicked, by the name that the server shows. */
export function authorOf({ member, user }: Interaction): Author | null {
  const account = member?.user ?? user
  if (!account) return null
  const { id: userId, username: userName, bot: isBot = false } = account
  return { userId, userName, fullName: member?.nick || account.global_name || userName, isBot, isMe: false }
}

/** What was typed or chosen, by custom id. */
export function typedInputs({ data }: Interaction): Record<string, string> {
  const parts = data?.components ?? []
  const inputs = parts.flatMap(({ component, components }) => components ?? (component ? [component] : []))
  return Object.fromEntries(inputs.map(({ custom_id: id, value, values }) => [id, value ?? values?.[0] ?? '']))
}

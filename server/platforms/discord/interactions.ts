import type { Author } from 'chat'
import { beginning } from '../../../shared/utils/text'
import type { ActionRow, Embed } from './embeds'

/** https://discord.com/developers/docs/interactions/receiving-and-responding (interaction type) */
export const INTERACTION = { ping: 1, command: 2, component: 3, modal: 5 } as const

/** https://discord.com/developers/docs/interactions/receiving-and-responding (interaction callback type) */
export const REPLY = { pong: 1, message: 4, later: 5, silence: 6, update: 7, modal: 9 } as const

/** Flag of a message that only its addressee sees */
const EPHEMERAL = 64

/** https://discord.com/developers/docs/resources/message#create-message */
export const MESSAGE_LENGTH = 2000

interface DiscordUser {
  id: string
  username: string
  global_name?: string | null
  bot?: boolean
}

/** Fields of an interaction that the adapter reads */
export interface Interaction {
  id: string
  token: string
  type: number
  member?: { user: DiscordUser, nick?: string | null, roles?: string[] }
  user?: DiscordUser
  guild_id?: string
  channel_id?: string
  channel?: { type: number, parent_id?: string | null }
  message?: { id: string, flags?: number }
  data?: {
    custom_id?: string
    values?: string[]
    components?: SubmittedPart[]
    /** Name of the command */
    name?: string
    options?: CommandOption[]
    /** Users that its options name, by id */
    resolved?: { users?: Record<string, DiscordUser> }
  }
}

/** A subcommand, or a typed argument */
interface CommandOption {
  name: string
  value?: string | number | boolean
  options?: CommandOption[]
}

/** A label with its input, or a plain text */
interface SubmittedPart {
  component?: { custom_id: string, value?: string | null, values?: readonly string[] }
}

interface MessageData {
  content: string
  embeds?: Embed[]
  components?: ActionRow[]
}

export type Reply
  = | { type: typeof REPLY.pong | typeof REPLY.silence }
    | { type: typeof REPLY.message, data: MessageData & { flags: number } }
    | { type: typeof REPLY.later, data: { flags: number } }
    | { type: typeof REPLY.update, data: MessageData & { components: ActionRow[] } }
    | { type: typeof REPLY.modal, data: { custom_id: string, title: string, components: object[] } }

export const silence: Reply = { type: REPLY.silence }

/** Announces a private message that follows */
export const later: Reply = { type: REPLY.later, data: { flags: EPHEMERAL } }

/** Private message to the sender of the interaction. It pings nobody, whatever it quotes. */
export function privately(content: string, components: ActionRow[] = [], embeds?: Embed[]): Reply {
  return { type: REPLY.message, data: { ...cutText(content), flags: EPHEMERAL, components, ...embeds && { embeds } } }
}

/** Replaces the private message that was clicked. */
export function instead(content: string, components: ActionRow[] = []): Reply {
  return { type: REPLY.update, data: { ...cutText(content), components } }
}

function cutText(content: string) {
  return { content: beginning(content, MESSAGE_LENGTH).toWellFormed(), allowed_mentions: { parse: [] } }
}

export function button(label: string, customId: string, style: 1 | 2 | 3 = 2): object {
  return { type: 2, style, label, custom_id: customId }
}

export function actionRow(...components: object[]): ActionRow {
  return { type: 1, components }
}

/** True if the interaction comes from one of our private messages. Those may be replaced, cards may not. */
export function isFromPrivateMessage({ message }: Interaction): boolean {
  return Boolean((message?.flags ?? 0) & EPHEMERAL)
}

/** Sender of the interaction, with the name that the server shows */
export function authorOf({ member, user }: Interaction): Author | null {
  const account = member?.user ?? user
  if (!account) return null
  const { id: userId, username: userName, bot: isBot = false } = account
  return { userId, userName, fullName: member?.nick || account.global_name || userName, isBot, isMe: false }
}

/** Returns the command as people would type it: `/forms show Ada`. */
export function commandIn({ data }: Interaction): { command: string, text: string } {
  const wordsOf = ({ name, value, options = [] }: CommandOption): (string | undefined)[] => (
    value === undefined ? [name, ...options.flatMap(wordsOf)] : [String(value)]
  )
  return { command: `/${data?.name}`, text: (data?.options ?? []).flatMap(wordsOf).join(' ') }
}

/** Typed and chosen values, by custom id */
export function typedInputs({ data }: Interaction): Record<string, string> {
  const inputs = (data?.components ?? []).flatMap(({ component }) => component ?? [])
  return Object.fromEntries(inputs.map(({ custom_id: id, value, values }) => [id, value ?? values?.join('\n') ?? '']))
}

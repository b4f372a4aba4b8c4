import { numberComponents } from './components'
import { DiscordError } from './problems'
import type { Channel, DiscordMessage, DiscordUser, Json, Pings } from './types'
import { EPHEMERAL, SUPPRESS_EMBEDS, validateMessage } from './validate'

const EPOCH = 1_420_070_400_000n
const GUILD_TEXT = 0
const DM = 1
const PUBLIC_THREAD = 11
const LOADING = 1 << 7
const HAS_THREAD = 1 << 5

type Shown = Pick<
  DiscordMessage,
  'content' | 'embeds' | 'components' | 'mentions' | 'mention_roles' | 'mention_everyone' | 'pings' | 'allowed_mentions'
>

/** Guild, channels, users and messages, shared by REST, gateway and interactions */
export class World {
  readonly users = new Map<string, DiscordUser>()
  readonly channels = new Map<string, Channel>()
  readonly messages = new Map<string, DiscordMessage>()
  /** Registered commands, by name */
  readonly commands = new Map<string, Json>()
  /** Called for every change, with a gateway event */
  dispatch: (type: string, data: Json) => void = () => {}
  readonly guildId: string
  readonly channelId: string
  readonly bot: DiscordUser
  readonly reviewer: DiscordUser
  private lastId = 0n
  private readonly nonces = new Map<string, string>()

  constructor() {
    this.guildId = this.nextId()
    this.channelId = this.nextId()
    this.bot = this.addUser({ id: this.nextId(), username: 'triage', global_name: null, bot: true })
    this.reviewer = this.addUser({ id: this.nextId(), username: 'ada', global_name: 'Ada Lovelace' })
    this.addChannel({
      id: this.channelId, type: GUILD_TEXT, name: 'submissions', guild_id: this.guildId, parent_id: null, position: 0,
      permission_overwrites: [], nsfw: false, topic: null, rate_limit_per_user: 0,
    })
  }

  /** Returns a snowflake. Later ones are greater; `after` and `before` rely on it. */
  nextId(): string {
    const now = (BigInt(Date.now()) - EPOCH) << 22n
    this.lastId = now > this.lastId ? now : this.lastId + 1n
    return String(this.lastId)
  }

  /** Role ids, by user id */
  readonly roles = new Map<string, readonly string[]>()

  addUser(user: DiscordUser): DiscordUser {
    const full = { discriminator: '0', avatar: null, bot: false, ...user }
    this.users.set(full.id, full)
    return full
  }

  addChannel(channel: Channel): Channel {
    const full = { flags: 0, last_message_id: null, ...channel }
    this.channels.set(full.id, full)
    return full
  }

  channel(id: string): Channel {
    const channel = this.channels.get(id)
    if (!channel) throw new DiscordError(404, 10003, 'Unknown Channel')
    return channel
  }

  /** Throws for ephemeral messages in channel routes, as Discord does. */
  message(id: string, channelId?: string): DiscordMessage {
    const message = this.messages.get(id)
    const visible = message && (!channelId || (message.channel_id === channelId && !(message.flags & EPHEMERAL)))
    if (!visible) throw new DiscordError(404, 10008, 'Unknown Message')
    return message
  }

  inChannel(channelId: string): DiscordMessage[] {
    return [...this.messages.values()].filter(message => message.channel_id === channelId
      && !(message.flags & EPHEMERAL))
  }

  openDm(user: DiscordUser): Channel {
    const open = [...this.channels.values()].find(({ type, recipients }) => type === DM
      && recipients?.[0]?.id === user.id)
    return open ?? this.addChannel({ id: this.nextId(), type: DM, recipients: [user] })
  }

  /** Posts a message after checking it. A repeated nonce, if enforced, returns the first message. */
  post(channelId: string, author: DiscordUser, payload: Json, extra: Partial<DiscordMessage> = {}): DiscordMessage {
    const channel = this.channel(channelId)
    validateMessage(payload)
    const nonce = payload.nonce === undefined ? undefined : `${author.id} ${String(payload.nonce)}`
    const earlier = nonce && payload.enforce_nonce ? this.messages.get(this.nonces.get(nonce) ?? '') : undefined
    if (earlier) return earlier
    const id = this.nextId()
    const message: DiscordMessage = {
      id, channel_id: channelId, type: payload.message_reference ? 19 : 0, author, timestamp: new Date().toISOString(),
      edited_timestamp: null, attachments: payload.attachments ?? [], tts: false, pinned: false,
      flags: payload.flags ?? 0,
      ...this.shown(payload, channel),
      ...payload.nonce === undefined ? {} : { nonce: payload.nonce },
      ...payload.message_reference ? { message_reference: payload.message_reference } : {}, ...extra,
    }
    if (message.flags & SUPPRESS_EMBEDS) message.embeds = []
    this.messages.set(id, message)
    if (nonce) this.nonces.set(nonce, id)
    if (message.flags & EPHEMERAL) return message
    channel.last_message_id = id
    this.dispatch('MESSAGE_CREATE', this.event(message))
    return message
  }

  /** Posts a deferred response: it shows "thinking" until it is edited. */
  placeholder(channelId: string, flags: number, extra: Partial<DiscordMessage>): DiscordMessage {
    return this.post(channelId, this.bot, { content: '…' }, { ...extra, content: '', flags: flags | LOADING })
  }

  /** Edits a message. Absent fields keep their value; null empties a field. */
  edit(message: DiscordMessage, payload: Json): DiscordMessage {
    const flags = (payload.flags ?? message.flags) | (message.flags & (EPHEMERAL | HAS_THREAD))
    const pick = (key: 'content' | 'embeds' | 'components' | 'attachments') => payload[key] === undefined
      ? message[key]
      : payload[key] ?? undefined
    const whole = {
      content: pick('content'), embeds: pick('embeds'), components: pick('components'),
      attachments: pick('attachments'), allowed_mentions: payload.allowed_mentions, flags,
    }
    validateMessage(whole)
    const { pings, mentions, mention_roles, mention_everyone, allowed_mentions, ...shown } = this.shown(
      whole, this.channel(message.channel_id),
    )
    // Mentions are recalculated only if the edit sends a new text.
    const named = payload.content === undefined
      ? {}
      : { pings, mentions, mention_roles, mention_everyone, allowed_mentions }
    Object.assign(message, shown, named, { edited_timestamp: new Date().toISOString(), flags: flags & ~LOADING })
    if (flags & SUPPRESS_EMBEDS) message.embeds = []
    if (!(flags & EPHEMERAL)) this.dispatch('MESSAGE_UPDATE', this.event(message))
    return message
  }

  remove({ id, channel_id, flags }: DiscordMessage): void {
    this.messages.delete(id)
    if (!(flags & EPHEMERAL)) this.dispatch('MESSAGE_DELETE', { id, channel_id, ...this.guildOf(channel_id) })
  }

  startThread(message: DiscordMessage, payload: Json): Channel {
    if (message.thread) throw new DiscordError(400, 160004, 'A thread has already been created for this message')
    const now = new Date().toISOString()
    const thread = this.addChannel({
      id: message.id, type: PUBLIC_THREAD, name: payload.name, guild_id: this.guildId, parent_id: message.channel_id,
      owner_id: this.bot.id, message_count: 0, member_count: 1, total_message_sent: 0, rate_limit_per_user: 0,
      thread_metadata: {
        archived: false, archive_timestamp: now, auto_archive_duration: payload.auto_archive_duration ?? 1440,
        locked: false, create_timestamp: now,
      },
    })
    Object.assign(message, { thread, flags: message.flags | HAS_THREAD })
    this.dispatch('THREAD_CREATE', { ...thread, newly_created: true })
    return thread
  }

  react(message: DiscordMessage, emoji: string, user: DiscordUser, remove = false): void {
    const [name, id = null] = emoji.split(':')
    const reactions = message.reactions ??= []
    const entry = reactions.find(reaction => reaction.emoji.name === name)
      ?? { emoji: { id, name }, count: 0, me: false }
    entry.count += remove ? -1 : 1
    if (user.id === this.bot.id) entry.me = !remove
    message.reactions = [...reactions.filter(reaction => reaction !== entry), ...entry.count > 0 ? [entry] : []]
    const guild = this.guildOf(message.channel_id)
    this.dispatch(remove ? 'MESSAGE_REACTION_REMOVE' : 'MESSAGE_REACTION_ADD', {
      user_id: user.id, channel_id: message.channel_id, message_id: message.id, emoji: { id, name }, burst: false,
      type: 0, ...remove ? {} : { message_author_id: message.author.id }, ...guild,
      ...guild.guild_id && !remove ? { member: this.member(user) } : {},
    })
  }

  member(user: DiscordUser): Json {
    return {
      user, roles: this.roles.get(user.id) ?? [],
      nick: null, avatar: null, joined_at: '2024-01-01T00:00:00.000000+00:00', premium_since: null,
      deaf: false, mute: false, flags: 0, pending: false, communication_disabled_until: null,
    }
  }

  /** Returns the fields that only guild events and payloads have. */
  guildOf(channelId: string): { guild_id?: string } {
    return this.channels.get(channelId)?.guild_id ? { guild_id: this.guildId } : {}
  }

  mentionedIn(text: string): DiscordUser[] {
    return [...new Set(
      [...text.matchAll(/<@!?(\d+)>/g)].map(([, id]) => this.users.get(id!)).filter(user => user !== undefined),
    )]
  }

  private event(message: DiscordMessage): Json {
    const guild = this.guildOf(message.channel_id)
    const { user, ...member } = this.member(message.author)
    return {
      ...wire(message), ...guild, ...guild.guild_id ? { member } : {},
      channel_type: this.channel(message.channel_id).type,
    }
  }

  private shown(payload: Json, channel: Channel): Shown {
    const components = structuredClone(payload.components ?? []) as Json[]
    numberComponents(components)
    const pings = pingsOf(payload.content ?? '', payload.allowed_mentions)
    const replied = this.messages.get(payload.message_reference?.message_id)
    if (replied && (payload.allowed_mentions ? payload.allowed_mentions.replied_user === true : true)) {
      pings.users = [...new Set([...pings.users, replied.author.id])]
    }
    return {
      content: String(payload.content ?? '').trim(),
      embeds: (payload.embeds ?? []).map((embed: Json) => ({
        type: 'rich', ...structuredClone(embed),
        ...embed.fields ? { fields: embed.fields.map((field: Json) => ({ inline: false, ...field })) } : {},
      })),
      components, mentions: this.mentionedIn(payload.content ?? ''), mention_roles: pings.roles,
      mention_everyone: channel.guild_id ? pings.everyone : false, pings, allowed_mentions: payload.allowed_mentions,
    }
  }
}

/** Returns the message as Discord sends it, without our own fields. */
export const wire = ({ pings, allowed_mentions, ...message }: DiscordMessage): Json => structuredClone(message)

/**
 * Returns the targets that a text notifies: every mention, unless `allowed_mentions` forbids it. A backslash before a
 * mention is assumed not to disable it.
 */
function pingsOf(text: string, allowed?: Json): Pings {
  const may = (kind: string) => !allowed || Boolean(allowed.parse?.includes(kind))
  const ids = (pattern: RegExp, kind: string) => [
    ...new Set([...text.matchAll(pattern)].map(([, id]) => id!)),
  ].filter(id => may(kind) || allowed?.[kind]?.includes(id))
  return {
    everyone: may('everyone') && /@(everyone|here)\b/.test(text), users: ids(/<@!?(\d+)>/g, 'users'),
    roles: ids(/<@&(\d+)>/g, 'roles'),
  }
}

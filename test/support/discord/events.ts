import type { Json } from './types'
import type { World } from './world'

const GUILDS = 1 << 0
const GUILD_MESSAGES = 1 << 9
const GUILD_MESSAGE_REACTIONS = 1 << 10
const DIRECT_MESSAGES = 1 << 12
const DIRECT_MESSAGE_REACTIONS = 1 << 13
const MESSAGE_CONTENT = 1 << 15

/** True if a session with these gateway intents receives this event. */
export function hears(intents: number, type: string, data: Json = {}): boolean {
  return !neededFor(type, data) || Boolean(intents & neededFor(type, data))
}

function neededFor(type: string, data: Json): number {
  if (type.startsWith('MESSAGE_REACTION')) return data.guild_id ? GUILD_MESSAGE_REACTIONS : DIRECT_MESSAGE_REACTIONS
  if (type === 'MESSAGE_CONTENT') return MESSAGE_CONTENT
  if (type.startsWith('MESSAGE_')) return data.guild_id ? GUILD_MESSAGES : DIRECT_MESSAGES
  return /^(?:GUILDS|GUILD_|CHANNEL_|THREAD_)/.test(type) ? GUILDS : 0
}

/** Removes content that needs the privileged intent: guild messages of other users that do not mention the bot. */
export function visibleTo(intents: number, botId: string, data: Json, type: string): Json {
  const hidden = /^MESSAGE_(?:CREATE|UPDATE)$/.test(type) && !(intents & MESSAGE_CONTENT) && data.guild_id
    && data.author.id !== botId && !data.mentions.some((user: Json) => user.id === botId)
  return hidden ? { ...data, content: '', embeds: [], attachments: [], components: [] } : data
}

export function ready(world: World, sessionId: string, resumeUrl: string, shard: unknown): Json {
  return {
    v: 10, user: { ...world.bot, verified: true, mfa_enabled: true, email: null, flags: 0 },
    guilds: [{ id: world.guildId, unavailable: true }], session_id: sessionId, resume_gateway_url: resumeUrl,
    application: { id: world.bot.id, flags: 1 << 19 }, ...shard ? { shard } : {},
  }
}

export function guildCreate(world: World): Json {
  const channels = [...world.channels.values()].filter(({ guild_id }) => guild_id)
  return {
    id: world.guildId, name: 'Forms', owner_id: world.reviewer.id, unavailable: false, features: [], emojis: [],
    stickers: [], roles: [{ id: world.guildId, name: '@everyone', permissions: '2248473465835073', position: 0 }],
    joined_at: '2024-01-01T00:00:00.000000+00:00', large: false,
    member_count: world.users.size, members: [...world.users.values()].map(user => world.member(user)),
    channels: channels.filter(({ parent_id }) => !parent_id), threads: channels.filter(({ parent_id }) => parent_id),
    presences: [], voice_states: [], stage_instances: [], guild_scheduled_events: [], soundboard_sounds: [],
  }
}

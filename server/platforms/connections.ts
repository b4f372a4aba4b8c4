import type { Adapter, Chat } from 'chat'
import type { HttpClient } from '../ports/http'
import type { Log } from '../ports/runtime'
import type { DiscordSettings } from './discord/rest'
import type { GoogleChatSettings } from './gchat/adapter'
import { sdkLogger } from './shared/logger'
import { platforms } from './registry'
import type { Platform } from './platform'
import type { Connection } from './connection'
import type { SandboxRoom } from './sandbox/room'
import type { FormSlackAdapter } from './slack/adapter'
import type { SlackSettings } from './slack/client'
import { configuredChannel } from './slack/place'
import type { TeamsSettings } from './teams/client'
import type { TelegramSettings } from './telegram/adapter'

/** What is configured; an absent platform is not loaded. */
export interface ChatSettings {
  slack?: SlackSettings
  discord?: DiscordSettings
  teams?: TeamsSettings
  gchat?: GoogleChatSettings
  telegram?: TelegramSettings
  sandbox?: SandboxRoom
}

/** One connection per configured platform. Nothing of a platform is imported before it is used. */
export function connectPlatforms({ slack, discord, teams, gchat, telegram, sandbox }: ChatSettings, log: Log, http: HttpClient): Connection[] {
  return [
    ...slack ? [slackConnection(slack, log, http)] : [],
    ...discord ? [discordConnection(discord, log, http)] : [],
    ...teams ? [teamsConnection(teams, log)] : [],
    ...gchat ? [googleChatConnection(gchat, log)] : [],
    ...telegram ? [telegramConnection(telegram, log)] : [],
    ...sandbox ? [sandboxConnection(sandbox)] : [],
  ]
}

function slackConnection(settings: SlackSettings, log: Log, http: HttpClient): Connection {
  return {
    platform: platforms.slack,
    channelId: settings.channelId,
    channelVariable: 'CHAT_CHANNEL_ID',
    channelsOf: threadId => [configuredChannel(secondPart(threadId), settings.channels)],
    // Two workspaces may have the same ids; which one it is stands beside them.
    channelsHere: (threadId, adapter) => (adapter as FormSlackAdapter).channelsHere(threadId),
    pressOf: raw => (raw as { trigger_id?: unknown }).trigger_id,
    idsOf: ({ user: { userId }, raw, adapter }) => (adapter as FormSlackAdapter).idsOf(userId, raw),
    adapter: async () => new (await import('./slack/adapter')).FormSlackAdapter(settings, sdkLogger(log, 'slack'), http),
    room: async (bot, channelId = settings.channelId) => {
      const { createSlackRoom } = await import('./slack/room')
      return createSlackRoom({ ...settings, channelId }, http, async team => (await slackAdapter(bot)).tokenOf(team))
    },
  }
}

/** The adapter, which keeps the workspaces that installed the app, once it can. */
export async function slackAdapter(bot: () => Promise<Chat>): Promise<FormSlackAdapter> {
  const chat = await bot()
  await chat.initialize()
  return chat.getAdapter(platforms.slack.key) as FormSlackAdapter
}

function discordConnection(settings: DiscordSettings, log: Log, http: HttpClient): Connection {
  return {
    platform: platforms.discord,
    channelId: settings.channelId,
    channelVariable: 'DISCORD_CHANNEL_ID',
    // `discord:server:channel`, or `discord:server:channel:thread`, where the thread may be the room itself.
    channelsOf: threadId => threadId.split(':').slice(2).reverse(),
    adapter: async () => new (await import('./discord/adapter')).FormDiscordAdapter(settings, sdkLogger(log, 'discord'), http),
    // Another channel may be in another server: Discord is asked which.
    room: async (_bot, channelId) => (await import('./discord/room')).createDiscordRoom(channelId ? { ...settings, channelId, guildId: undefined } : settings, http),
    listener: async options => (await import('./discord/gateway/listener')).createListener(settings, options),
  }
}

function teamsConnection(settings: TeamsSettings, log: Log): Connection {
  const adapter = async () => (await import('./teams/adapter')).createTeamsAdapter(settings, sdkLogger(log, 'teams'))
  return {
    platform: platforms.teams,
    channelId: settings.channelId,
    channelVariable: 'TEAMS_CHANNEL_ID',
    // `teams:<conversation>:…` in base64url, where a conversation is a channel or `channel;messageid=…`.
    channelsOf: threadId => [Buffer.from(secondPart(threadId), 'base64url').toString().split(';')[0]!],
    adapter,
    room: async (_bot, channelId = settings.channelId) => (await import('./teams/room')).createTeamsRoom({ ...settings, channelId }, await adapter()),
  }
}

function googleChatConnection(settings: GoogleChatSettings, log: Log): Connection {
  const adapter = async () => new (await import('./gchat/adapter')).FormGoogleChatAdapter(settings, sdkLogger(log, 'gchat'))
  return {
    platform: platforms.gchat,
    channelId: settings.space,
    channelVariable: 'GOOGLE_CHAT_SPACE',
    // Events have no id, but the time at which the button was pressed, to the microsecond.
    pressOf: raw => (raw as { chat?: { eventTime?: unknown } }).chat?.eventTime,
    adapter,
    room: async (_bot, space = settings.space) => (await import('./gchat/room')).createGoogleChatRoom({ ...settings, space }, await adapter()),
  }
}

function telegramConnection(settings: TelegramSettings, log: Log): Connection {
  const adapter = async () => new (await import('./telegram/adapter')).FormTelegramAdapter(settings, sdkLogger(log, 'telegram'))
  return { ...throughSdk(platforms.telegram, settings.chatId, adapter), channelVariable: 'TELEGRAM_CHAT_ID' }
}

function sandboxConnection(room: SandboxRoom): Connection {
  const connection = throughSdk(platforms.sandbox, room.channel, async () => new (await import('./sandbox/adapter')).SandboxAdapter(room))
  return { ...connection, fromPages: { sentBy: (request, person) => room.introduce(request, person) }, room: async bot => ({ ...await connection.room(bot), link: async ({ messageId }) => `/sandbox#${encodeURIComponent(messageId)}` }) }
}

/** A platform whose adapter takes care of the cards too. */
function throughSdk(platform: Platform, channelId: string, adapter: () => Promise<Adapter>): Connection {
  return { platform, channelId, adapter, room: async (bot, channel = channelId) => (await import('./shared/sdk-room')).createSdkRoom(platform, channel, bot) }
}

function secondPart(threadId: string): string {
  return threadId.split(':')[1] ?? ''
}

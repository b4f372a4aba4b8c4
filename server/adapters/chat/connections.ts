import type { Adapter } from 'chat'
import type { Log } from '../../ports/runtime'
import type { DiscordSettings } from './discord/client'
import type { GoogleChatSettings } from './gchat/adapter'
import { sdkLogger } from './logger'
import { platforms, type Platform } from './platforms'
import type { Connection } from './rooms'
import type { SandboxRoom } from './sandbox/room'
import type { SlackSettings } from './slack/client'
import type { TeamsSettings } from './teams/client'

/** What is configured; an absent platform is not loaded. */
export interface ChatSettings {
  slack?: SlackSettings
  discord?: DiscordSettings
  teams?: TeamsSettings
  gchat?: GoogleChatSettings
  telegram?: { botToken: string, secretToken: string, chatId: string, apiUrl?: string }
  sandbox?: SandboxRoom
}

/** One connection per configured platform. Nothing of a platform is imported before it is used. */
export function connectPlatforms({ slack, discord, teams, gchat, telegram, sandbox }: ChatSettings, log: Log): Connection[] {
  return [
    ...slack ? [slackConnection(slack, log)] : [],
    ...discord ? [discordConnection(discord, log)] : [],
    ...teams ? [teamsConnection(teams, log)] : [],
    ...gchat ? [googleChatConnection(gchat, log)] : [],
    ...telegram ? [telegramConnection(telegram, log)] : [],
    ...sandbox ? [sandboxConnection(sandbox)] : [],
  ]
}

function slackConnection(settings: SlackSettings, log: Log): Connection {
  return {
    platform: platforms.slack,
    adapter: async () => new (await import('./slack/adapter')).FormSlackAdapter(settings, sdkLogger(log, 'slack')),
    room: async () => (await import('./slack/room')).createSlackRoom(settings),
  }
}

function discordConnection(settings: DiscordSettings, log: Log): Connection {
  return {
    platform: platforms.discord,
    adapter: async () => new (await import('./discord/adapter')).FormDiscordAdapter(settings, sdkLogger(log, 'discord')),
    room: async () => (await import('./discord/room')).createDiscordRoom(settings),
    listener: async options => (await import('./discord/listener')).createListener(settings, options),
  }
}

function teamsConnection(settings: TeamsSettings, log: Log): Connection {
  const adapter = async () => (await import('./teams/adapter')).createTeamsAdapter(settings, sdkLogger(log, 'teams'))
  return {
    platform: platforms.teams,
    adapter,
    room: async () => (await import('./teams/room')).createTeamsRoom(settings, await adapter()),
  }
}

function googleChatConnection(settings: GoogleChatSettings, log: Log): Connection {
  const adapter = async () => new (await import('./gchat/adapter')).FormGoogleChatAdapter(settings, sdkLogger(log, 'gchat'))
  return {
    platform: platforms.gchat,
    adapter,
    room: async () => (await import('./gchat/room')).createGoogleChatRoom(settings, await adapter()),
  }
}

function telegramConnection({ chatId, ...settings }: NonNullable<ChatSettings['telegram']>, log: Log): Connection {
  return throughSdk(platforms.telegram, chatId, async () => new (await import('@chat-adapter/telegram')).TelegramAdapter({
    ...settings, mode: 'webhook', allowUnverifiedWebhooks: false, logger: sdkLogger(log, 'telegram'),
  }))
}

function sandboxConnection(room: SandboxRoom): Connection {
  return throughSdk(platforms.sandbox, room.channel, async () => new (await import('./sandbox/adapter')).SandboxAdapter(room))
}

/** A platform whose adapter takes care of the cards too. */
function throughSdk(platform: Platform, channelId: string, adapter: () => Promise<Adapter>): Connection {
  return { platform, adapter, room: async bot => (await import('./sdk-room')).createSdkRoom(platform, channelId, bot) }
}

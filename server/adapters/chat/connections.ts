import type { HttpClient } from '../../ports/http'
import type { Log } from '../../ports/runtime'
import type { DiscordSettings } from './discord/client'
import { sdkLogger } from './logger'
import { platforms } from './platforms'
import type { Connection } from './rooms'
import type { SandboxRoom } from './sandbox/room'
import type { SlackSettings } from './slack/client'

/** What is configured; an absent platform is not loaded. */
export interface ChatSettings {
  slack?: SlackSettings
  discord?: DiscordSettings
  sandbox?: SandboxRoom
}

/** One connection per configured platform. Nothing of a platform is imported before it is used. */
export function connectPlatforms({ slack, discord, sandbox }: ChatSettings, log: Log, http: HttpClient): Connection[] {
  return [
    ...slack ? [slackConnection(slack, log, http)] : [],
    ...discord ? [discordConnection(discord, log, http)] : [],
    ...sandbox ? [sandboxConnection(sandbox)] : [],
  ]
}

function slackConnection(settings: SlackSettings, log: Log, http: HttpClient): Connection {
  return {
    platform: platforms.slack,
    adapter: async () => new (await import('./slack/adapter')).FormSlackAdapter(settings, sdkLogger(log, 'slack'), http),
    room: async () => (await import('./slack/room')).createSlackRoom(settings, http),
  }
}

function discordConnection(settings: DiscordSettings, log: Log, http: HttpClient): Connection {
  return {
    platform: platforms.discord,
    adapter: async () => new (await import('./discord/adapter')).FormDiscordAdapter(settings, sdkLogger(log, 'discord')),
    room: async () => (await import('./discord/room')).createDiscordRoom(settings, http),
    listener: async options => (await import('./discord/listener')).createListener(settings, options),
  }
}

function sandboxConnection(room: SandboxRoom): Connection {
  return {
    platform: platforms.sandbox,
    adapter: async () => new (await import('./sandbox/adapter')).SandboxAdapter(room),
    room: async bot => (await import('./sdk-room')).createSdkRoom(platforms.sandbox, room.channel, bot),
  }
}

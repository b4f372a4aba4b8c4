import type { Adapter } from 'chat'
import type { Connection } from '../connection'
import type { Platform } from '../traits'

/** Platform whose cards, too, go through its adapter of the Chat SDK. */
export function throughSdk(platform: Platform, channelId: string | null, adapter: () => Promise<Adapter>): Connection {
  return {
    platform, channelId, adapter,
    room: async (bot, channel = channelId!) => (await import('./sdk-room')).createSdkRoom(platform, channel, bot),
  }
}

import type { Adapter } from 'chat'
import type { Connection } from '../connection'
import type { Platform } from '../traits'

/** A platform whose adapter of the Chat SDK takes care of the cards, too. */
export function throughSdk(platform: Platform, channelId: string | null, adapter: () => Promise<Adapter>): Connection {
  return {
    platform, channelId, adapter,
    room: async (bot, channel = channelId!) => (await import('./sdk-room')).createSdkRoom(platform, channel, bot),
  }
}

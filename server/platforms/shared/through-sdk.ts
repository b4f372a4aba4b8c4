import type { Adapter } from 'chat'
import type { Connection } from '../connection'
import type { Platform } from '../traits'

/** Connection that also sends cards through the platform's Chat SDK adapter. */
export function throughSdk(platform: Platform, channelId: string | null, adapter: () => Promise<Adapter>): Connection {
  return {
    platform, channelId, adapter,
    room: async (bot, channel = channelId!) => (await import('./sdk-room')).createSdkRoom(platform, channel, bot),
  }
}

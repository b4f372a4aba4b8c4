import type { Chat } from 'chat'
import type { Outcome } from '../../ports/delivery'
import type { Platform } from './platforms'
import type { Room } from './rooms'

/** Error names of the SDK's adapters (`@chat-adapter/shared`) that no retry changes. */
const PERMANENT = new Set(['AuthenticationError', 'PermissionError', 'ResourceNotFoundError', 'ValidationError'])

/** A room of any platform, through the Chat SDK's adapter. */
export async function createSdkRoom(platform: Platform, channelId: string, bot: () => Promise<Chat>): Promise<Room> {
  const chat = await bot()
  await chat.initialize()
  const attempt = async <T>(act: () => Promise<T>): Promise<Outcome<T>> => {
    try {
      return { ok: true, value: await act() }
    }
    catch (error) {
      const { name } = error as Error
      return { ok: false, permanent: PERMANENT.has(name), reason: `${platform.label}: ${name}.` }
    }
  }
  return {
    post: card => attempt(async () => {
      const message = await chat.channel(`${platform.key}:${channelId}`).post(card)
      return { platform: platform.key, threadId: message.threadId, messageId: message.id }
    }),
    update: (ref, card) => attempt(async () => {
      await chat.getAdapter(platform.key).editMessage(ref.threadId, ref.messageId, card)
      return undefined
    }),
    // Opening the room has started the adapter, which is all that every adapter can tell.
    check: async () => ({ ok: true, value: undefined }),
    say: (card, _summary, below) => attempt(async () => {
      if (below) await chat.getAdapter(platform.key).postMessage(below.threadId, card)
      else await chat.channel(`${platform.key}:${channelId}`).post(card)
      return undefined
    }),
  }
}

import type { Adapter, Chat } from 'chat'
import type { Outcome } from '../../ports/delivery'
import type { Platform } from './platforms'
import type { Room } from './rooms'
import { within } from './within'

/** Errors of the SDK's adapters (`@chat-adapter/shared`) that no retry changes, and what to check. */
const PERMANENT: Readonly<Record<string, string>> = {
  AuthenticationError: 'Check the credentials of the bot.',
  PermissionError: 'Add the bot to the channel of the cards.',
  ResourceNotFoundError: 'Check the credentials and the channel of the cards.',
  ValidationError: 'Check the channel of the cards; when it is right, please report this.',
}

/** What Telegram says of a message that it does not take, as far as it is about the text or the buttons (https://core.telegram.org/bots/api). */
const CONTENT = /can't parse|too[ _]long|entit|is empty|button|markup|utf-8/i
/** What is edited is not there any more, or as it is to be already; the adapters say no more than that. */
const GONE = ['ResourceNotFoundError', 'ValidationError']

/** Bound of one call, ms; well below the lease of outstanding work. The adapters have none. */
const TIMEOUT_MS = 10_000

/** What an adapter of ours may know beside the SDK's. */
interface Knowing {
  isMember?: (channelId: string, userId: string) => Promise<boolean>
}

/** A room of any platform, through the Chat SDK's adapter. */
export async function createSdkRoom(platform: Platform, channelId: string, bot: () => Promise<Chat>): Promise<Room> {
  const chat = await bot()
  await chat.initialize()
  const adapter: Adapter & Knowing = chat.getAdapter(platform.key)
  const channel = chat.channel(`${platform.key}:${channelId}`)
  const attempt = async <T>(act: () => Promise<T>): Promise<Outcome<T>> => {
    try {
      return { ok: true, value: await within(TIMEOUT_MS, act()) }
    }
    catch (error) {
      const { name, message, retryAfter } = error as Error & { retryAfter?: number }
      const content = name === 'ValidationError' && CONTENT.test(message)
      const advice = content ? 'This is a bug; please report it.' : PERMANENT[name]
      return { ok: false, permanent: advice !== undefined, ...content ? { content } : {}, ...GONE.includes(name) && !content ? { gone: true } : {}, reason: `${platform.label}: ${name}.${advice ? ` ${advice}` : ''}`, ...retryAfter ? { retryAfterMs: retryAfter * 1000 } : {} }
    }
  }
  return {
    hasMember: adapter.isMember && (userId => attempt(() => adapter.isMember!(channelId, userId))),
    post: card => attempt(async () => {
      const message = await channel.post(card)
      return { platform: platform.key, threadId: message.threadId, messageId: message.id }
    }),
    update: (ref, card) => attempt(async () => {
      await adapter.editMessage(ref.threadId, ref.messageId, card)
      return undefined
    }),
    say: (card, _summary, below) => attempt(async () => {
      if (!below) await channel.post(card)
      else if (adapter.reply) await adapter.reply(below.threadId, below.messageId, card)
      else await adapter.postMessage(below.threadId, card)
      return undefined
    }),
  }
}

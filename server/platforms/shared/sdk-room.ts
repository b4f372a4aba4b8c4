import type { Adapter, AdapterPostableMessage, CardElement, Chat, RawMessage } from 'chat'
import type { Outcome } from '../../ports/delivery'
import type { Platform } from '../traits'
import { done, refused, type FailedOutcome } from './answers'
import type { Room } from '../connection'
import { literal } from './speech'
import { answeredWithin } from './patience'

/** Advice for errors of the SDK's adapters (`@chat-adapter/shared`) that no retry changes. */
const PERMANENT_ADVICE: Readonly<Record<string, string>> = {
  AuthenticationError: 'Check the credentials of the bot.',
  PermissionError: 'Add the bot to the channel of the cards.',
  ResourceNotFoundError: 'Check the credentials and the channel of the cards.',
  ValidationError: 'Check the channel of the cards; when it is right, please report this.',
}

/** Timeout of one call, ms; well below the lease of outstanding work. The adapters have none. */
const TIMEOUT_MS = 10_000

/** Methods that our adapters may add to the SDK's. */
interface AdapterExtras {
  isMember?: (channelId: string, userId: string) => Promise<boolean>
  /** Problem that somebody has to fix, learned from the platform's answers; null if there is none. */
  problem?: () => string | null
  /** Posts without waiting for the pause that the platform asks for: the caller retries. */
  postAtOnce?: (threadId: string, message: AdapterPostableMessage) => Promise<RawMessage<unknown>>
}

/** Descriptions of errors that may be temporary. */
const CAUSES: Readonly<Record<string, string>> = {
  AdapterRateLimitError: 'too many requests',
  NetworkError: 'no connection, or no answer that can be read',
  TimeoutError: `no answer in ${TIMEOUT_MS / 1000} s`,
}

/**
 * Creates a room that posts through the platform's adapter. Errors of the adapter may describe a refusal in `refusal`.
 */
export async function createSdkRoom(platform: Platform, channelId: string, bot: () => Promise<Chat>): Promise<Room> {
  const chat = await bot()
  await chat.initialize()
  const adapter: Adapter & AdapterExtras = chat.getAdapter(platform.key)
  const channel = chat.channel(`${platform.key}:${channelId}`)
  const post = (message: CardElement) => adapter.postAtOnce?.(channel.id, message) ?? channel.post(message)
  const attempt = async <T>(call: () => Promise<T>): Promise<Outcome<T>> => {
    try {
      return { ok: true, value: await answeredWithin(TIMEOUT_MS, call()) }
    }
    catch (error) {
      const { name, refusal, retryAfter: pause } = error as Error & { refusal?: FailedOutcome, retryAfter?: number }
      return refusal
        ?? refused({
          reason: `${platform.label}: ${CAUSES[name] ?? name}`, advice: PERMANENT_ADVICE[name],
          gone: name === 'ResourceNotFoundError', limited: name === 'AdapterRateLimitError', pause,
        })
    }
  }
  return {
    check: adapter.problem && (async () => {
      const reason = adapter.problem!()
      return reason === null ? { ok: true, value: undefined } : refused({ reason })
    }),
    hasMember: adapter.isMember && (userId => attempt(() => adapter.isMember!(channelId, userId))),
    post: card => attempt(async () => {
      const { threadId, id: messageId } = await post(card)
      return { platform: platform.key, threadId, messageId }
    }),
    update: async (ref, card) => done(await attempt(() => adapter.editMessage(ref.threadId, ref.messageId, card))),
    say: async (card, _summary, below) => done(await attempt<unknown>(() => {
      const message = literal(card, platform)
      if (!below) return post(message)
      const { threadId, messageId } = below
      return adapter.reply ? adapter.reply(threadId, messageId, message) : adapter.postMessage(threadId, message)
    })),
  }
}

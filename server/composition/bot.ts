import type { Chat, StateAdapter } from 'chat'
import type { Connection } from '../adapters/chat/rooms'
import { platformByName } from '../adapters/chat/platforms'
import { BotUnavailable } from '../domain/errors'
import type { Review } from '../domain/submission/review'
import { registerReview } from '../handlers/review'
import { background } from '../http/background'
import type { Log } from '../ports/runtime'
import type { AgentConversation } from './agent'

/** A webhook that cannot be started in this time, ms, is answered with 503; the platform sends it again. */
const BOT_PATIENCE_MS = 2000

/** Hands the request to the platform's adapter. The SDK waits for the store without a bound: the answer does not. */
export async function handleWebhook(key: string, request: Request, bot: () => Promise<Chat>): Promise<Response> {
  const ready = bot().then(async (chat) => {
    await chat.initialize()
    return chat
  })
  const late = new Promise<never>((_, reject) => setTimeout(() => reject(new Error('The bot did not start in time.')), BOT_PATIENCE_MS).unref())
  const chat = await Promise.race([ready, late]).catch((error) => { throw new BotUnavailable(error) })
  return chat.webhooks[key]!(request, { waitUntil: background })
}

interface BotParts {
  connections: readonly Connection[]
  state: () => Promise<StateAdapter>
  log: Log
  review: Review
  agent: AgentConversation | null
  streamingIntervalMs: number
}

/** The Chat SDK with every platform and every handler. */
export async function startBot({ connections, state, log, review, agent, streamingIntervalMs }: BotParts): Promise<Chat> {
  const [{ createBot }, { editModal, noticeModal }, joinAgent] = await Promise.all([import('../adapters/chat/bot'), import('../adapters/chat/modals'), agent?.load()])
  return createBot({
    connections, state, log, streamingIntervalMs,
    register: (bot) => {
      registerReview(bot, { review, editModal, noticeModal, log, platformLabel: key => platformByName(key)?.label ?? key })
      const replier = joinAgent?.(bot)
      if (!replier) return
      bot.onNewMention(async (thread, message) => {
        await thread.subscribe()
        await replier.welcome(thread, message)
      })
      bot.onSubscribedMessage((thread, message) => replier.reply(thread, message))
    },
  })
}

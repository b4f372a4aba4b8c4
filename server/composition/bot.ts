import type { Chat, StateAdapter } from 'chat'
import type { Connection } from '../adapters/chat/rooms'
import { platformByName } from '../adapters/chat/platforms'
import { BotUnavailable } from '../domain/errors'
import type { Review } from '../domain/submission/review'
import { registerReview } from '../handlers/review'
import { background } from '../http/background'
import type { Log } from '../ports/runtime'

/** A webhook that cannot be started in this time, ms, is answered with 503; the platform sends it again. */
const BOT_PATIENCE_MS = 2000

/** Hands the request to the platform's adapter. The SDK waits for the store without a bound: the answer does not. */
export async function handleWebhook(key: string, request: Request, bot: () => Promise<Chat>): Promise<Response> {
  const chat = await inTime(bot()).catch((error) => { throw new BotUnavailable(error) })
  return chat.webhooks[key]!(request, { waitUntil: background })
}

async function inTime(bot: Promise<Chat>): Promise<Chat> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('The bot did not start in time.')), BOT_PATIENCE_MS)
  })
  const ready = bot.then(async (chat) => {
    await chat.initialize()
    return chat
  })
  return Promise.race([ready, late]).finally(() => clearTimeout(timer))
}

interface BotParts {
  connections: readonly Connection[]
  state: () => Promise<StateAdapter>
  log: Log
  review: Review
}

/** The Chat SDK with every platform and every handler. */
export async function startBot({ connections, state, log, review }: BotParts): Promise<Chat> {
  const [{ createBot }, { editModal, noticeModal }] = await Promise.all([import('../adapters/chat/bot'), import('../adapters/chat/modals')])
  return createBot({
    connections, state, log,
    register: bot => registerReview(bot, { review, editModal, noticeModal, log, platformLabel: key => platformByName(key)?.label ?? key }),
  })
}

import type { Chat } from 'chat'
import { withTimeout } from '../../shared/utils/time'
import type { Context } from '../domain/context'
import { BotUnavailable } from '../domain/errors'

/** Max wait for the bot to start, ms; after that a webhook gets 503, and the platform sends it again. */
const BOT_PATIENCE_MS = 2000

/** Passes the request to the platform's adapter. Limits the wait for the store, unlike the SDK. */
export async function handleWebhook(
  key: string, request: Request & { arrivalMs: number }, bot: () => Promise<Chat>,
  { runtime, monitor, log }: Context,
): Promise<Response> {
  const startedAt = performance.now()
  // Exclude the time in which the body arrived: the sender may be slow.
  const reportStatus = (status: number) => (
    monitor.acknowledged(key, status, performance.now() - startedAt - request.arrivalMs)
  )
  const chatStart = bot().then(chat => chat.initialize().then(() => chat))
  const createTimeoutError = () => new Error('The bot did not start in time.')
  const chat = await withTimeout(BOT_PATIENCE_MS, chatStart, createTimeoutError).catch((error) => {
    reportStatus(503)
    log.warn('bot.unavailable', { platform: key, error })
    throw new BotUnavailable(error)
  })
  const response = await chat.webhooks[key]!(request, { waitUntil: runtime.background })
  reportStatus(response.status)
  return response
}

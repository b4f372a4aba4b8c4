import { createMemoryState } from '@chat-adapter/state-memory'
import { Chat } from 'chat'
import { expect, test } from 'vitest'
import { sdkLogger } from '../../../../server/platforms/shared/logger'
import { FormTelegramAdapter } from '../../../../server/platforms/telegram/adapter'
import { silentLog } from '../../../fakes/runtime'
import { endAfterAll } from '../../../support/lifetime'
import { startTelegram } from '../../../support/telegram'

const texts: string[] = []
const telegram = endAfterAll(await startTelegram())
const { env } = telegram
const adapter = new FormTelegramAdapter({
  botToken: env.TELEGRAM_BOT_TOKEN!, secretToken: env.TELEGRAM_WEBHOOK_SECRET_TOKEN!, chatId: env.TELEGRAM_CHAT_ID!,
  apiUrl: telegram.url,
}, sdkLogger(silentLog))
const bot = new Chat({
  userName: 'form-bot', adapters: { telegram: adapter }, state: createMemoryState(), logger: sdkLogger(silentLog),
})
bot.onNewMention(async (_, { text }) => void texts.push(text))
await bot.initialize()

let messageCount = 0

/** Sends the bot a message, or an edit of a message that is too old to be remembered. */
async function update(kind: string, text: string): Promise<void> {
  const [chat, from] = [{ id: 4321, type: 'private' }, { id: 4321, is_bot: false, first_name: 'Ada' }]
  const tasks: Promise<unknown>[] = []
  const request = new Request('http://forms.example/api/webhooks/telegram', {
    method: 'POST',
    headers: { 'x-telegram-bot-api-secret-token': telegram.env.TELEGRAM_WEBHOOK_SECRET_TOKEN! },
    body: JSON.stringify({
      update_id: messageCount, [kind]: { message_id: ++messageCount, date: 1_700_000_000, chat, from, text },
    }),
  })
  const response = await bot.webhooks.telegram!(request, { waitUntil: task => void tasks.push(task) })
  expect(response.status).toBe(200)
  await Promise.all(tasks)
}

test.each(
  ['edited_message', 'edited_channel_post'],
)('an edit is no message of its own (%s), however late it comes', async (kind) => {
  texts.length = 0
  await update(kind, 'pending, please')
  await update('message', 'pending')
  expect(texts).toEqual(['pending'])
})

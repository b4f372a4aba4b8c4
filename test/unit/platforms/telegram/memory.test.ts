import { expect, test } from 'vitest'
import { sdkLogger } from '../../../../server/platforms/shared/logger'
import { FormTelegramAdapter } from '../../../../server/platforms/telegram/adapter'
import { silentLog } from '../../../fakes/runtime'

const CHAT = '-100'
let postCount = 0

/** Adapter with a Telegram that accepts everything. */
class Loopback extends FormTelegramAdapter {
  protected override async telegramFetch<T>(_method: string, payload?: Record<string, unknown> | FormData): Promise<T> {
    const { chat_id: id, text } = payload as Record<string, unknown>
    return {
      message_id: ++postCount, date: postCount, chat: { id: Number(id), type: 'supergroup', title: 'Triage' }, text,
    } as T
  }
}

test('of all that was said the newest thousand messages stay in memory, whichever chats they are in', async () => {
  const adapter = new Loopback({ botToken: '1:x', secretToken: 'secret', chatId: CHAT }, sdkLogger(silentLog))
  const listTexts = async (chat: string) => (
    (await adapter.fetchMessages(`telegram:${chat}`, { limit: 5000 })).messages.map(({ text }) => text)
  )
  await adapter.postMessage(`telegram:${CHAT}`, 'the first')
  for (let stranger = 1; stranger <= 999; stranger++) await adapter.postMessage(
    `telegram:${stranger}`, `from ${stranger}`,
  )
  expect([await listTexts(CHAT), await listTexts('1')]).toEqual([['the first'], ['from 1']])
  await adapter.postMessage(`telegram:${CHAT}`, 'the last')
  expect([await listTexts(CHAT), await listTexts('1'), await listTexts('999')]).toEqual([
    ['the last'], ['from 1'], ['from 999'],
  ])
})

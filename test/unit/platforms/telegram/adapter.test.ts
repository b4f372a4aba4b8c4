import { createMemoryState } from '@chat-adapter/state-memory'
import { Actions, Button, Card, CardText, Chat, type ActionEvent } from 'chat'
import { beforeEach, expect, test } from 'vitest'
import { telegram as definition } from '../../../../server/platforms/telegram/definition'
import { sdkLogger } from '../../../../server/platforms/shared/logger'
import { BUTTONS } from '../../../../shared/actions'
import { silentLog } from '../../../fakes/runtime'
import { endAfterAll } from '../../../support/lifetime'
import { startTelegram } from '../../../support/telegram'
import { adapterOf } from '../../../support/telegram-adapter'

const ID = crypto.randomUUID()

/** Buttons and their values: the id of a submission or, for the buttons of a question, of a call in a turn. */
const VALUES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.keys(BUTTONS).map(id => [id, ID])), approve: `${ID}.999`, deny: `${ID}.999`,
}

let updateCount = 0
let onPress: (event: ActionEvent) => Promise<void>
const telegram = endAfterAll(await startTelegram())
const adapter = adapterOf(telegram)
const bot = new Chat({
  userName: 'form-bot', adapters: { telegram: adapter }, state: createMemoryState(), logger: sdkLogger(silentLog),
})
bot.onAction(event => onPress(event))
await bot.initialize()
beforeEach(() => { telegram.requests.length = 0 })

const thread = () => `telegram:${telegram.env.TELEGRAM_CHAT_ID}`
const readLastMessage = () => telegram.messages().at(-1)!

/** Clicks the only button of the newest message. */
async function press(handler: (event: ActionEvent) => Promise<void>): Promise<void> {
  onPress = handler
  const { id, keyboard: [[button] = []] } = readLastMessage()
  const tasks: Promise<unknown>[] = []
  const chat = { id: Number(telegram.env.TELEGRAM_CHAT_ID), type: 'supergroup', title: 'Triage' }
  await adapter.handleWebhook(new Request('http://localhost/api/webhooks/telegram', {
    method: 'POST', headers: { 'x-telegram-bot-api-secret-token': telegram.env.TELEGRAM_WEBHOOK_SECRET_TOKEN! },
    body: JSON.stringify({ update_id: ++updateCount, callback_query: {
      id: '1', from: { id: 4321, is_bot: false, first_name: 'Ada' }, chat_instance: '1', data: button!.callback_data,
      message: { message_id: id, date: 1, chat },
    } }),
  }), { waitUntil: task => void tasks.push(task) })
  await Promise.all(tasks)
}

test.each(Object.entries(VALUES))('Telegram takes the button %s with what it is about, and hands both back', async (id, value) => {
  await adapter.postMessage(thread(), Card({ children: [CardText('x'), Actions([Button({ id, label: id, value })])] }))
  let action: unknown
  await press(async ({ actionId, value }) => { action = [actionId, value] })
  expect(action).toEqual([id, value])
})

test('what is said below a card answers it', async () => {
  await adapter.postMessage(thread(), Card({ children: [CardText('A card')] }))
  const { id } = readLastMessage()
  await adapter.reply(thread(), `${telegram.env.TELEGRAM_CHAT_ID}:${id}`, Card({ children: [CardText('Below')] }))
  expect(readLastMessage()).toMatchObject({ text: 'Below', replyTo: id })
})

test('a card is known as one when the thread is read again, also once it was edited, and words are words', async () => {
  const cardMessage = await adapter.postMessage(thread(), Card({ children: [CardText('Before')] }))
  await adapter.editMessage(thread(), cardMessage.id, Card({ children: [CardText('After')] }))
  await adapter.postMessage(thread(), 'Words')
  const { messages } = await adapter.fetchMessages(thread(), { limit: 2 })
  expect(messages.map(({ text, raw }) => [text, definition.isCard({ ...raw })])).toEqual([
    ['After', true], ['Words', false],
  ])
})

test('private words for somebody else are not told to who presses', async () => {
  const take = Button({ id: 'take', label: 'Take', value: ID })
  await adapter.postMessage(thread(), Card({ children: [CardText('x'), Actions([take])] }))
  let answer: unknown
  await press(async ({ thread, user }) => {
    answer = await thread!.postEphemeral({ ...user, userId: '999' }, 'For Grace alone.', { fallbackToDM: false })
  })
  expect(answer).toBeNull()
  expect(telegram.requests.map(({ body }) => body).join()).not.toContain('Grace')
})

test('of private words the first are told; others are not taken for told', async () => {
  const take = Button({ id: 'take', label: 'Take', value: ID })
  await adapter.postMessage(thread(), Card({ children: [CardText('x'), Actions([take])] }))
  const answers: unknown[] = []
  await press(async ({ thread, user }) => {
    for (const words of ['One.', 'Two.']) {
      answers.push(await thread!.postEphemeral(user, words, { fallbackToDM: false }))
    }
  })
  expect(answers).toEqual([expect.objectContaining({ usedFallback: false }), null])
  expect(telegram.requests.filter(({ path }) => path.endsWith('/answerCallbackQuery')).map(({ body }) => (
    JSON.parse(body) as object
  ))).toEqual([expect.objectContaining({ text: 'One.' })])
})

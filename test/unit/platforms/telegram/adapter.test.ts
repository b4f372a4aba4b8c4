import { memoryState } from '../../../support/sqlite'
import { Actions, Button, Card, CardText, Chat, type ActionEvent } from 'chat'
import { beforeEach, expect, test } from 'vitest'
import { renderAnswer } from '../../../../server/adapters/chat/speech'
import { say } from '../../../../server/adapters/chat/streaming'
import { previewOf } from '../../../../server/domain/conversation/previews'
import { FormTelegramAdapter } from '../../../../server/platforms/telegram/adapter'
import { telegram as definition } from '../../../../server/platforms/telegram/definition'
import { sdkLogger } from '../../../../server/platforms/shared/logger'
import { BUTTONS } from '../../../../shared/actions'
import { formsOf } from '../../../fakes/forms'
import { silentLog } from '../../../fakes/runtime'
import { submissionOf } from '../../../fixtures/views'
import { endAfterAll } from '../../../support/lifetime'
import { startTelegram } from '../../../support/telegram'
import { adapterOf } from '../../../support/telegram-adapter'

const ID = crypto.randomUUID()

/** Values of the buttons: the id of a submission or, for buttons of a question, the id of a call in a turn */
const VALUES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.keys(BUTTONS).map(id => [id, ID])), approve: `${ID}.999`, deny: `${ID}.999`,
}

let updateCount = 0
let onPress: (event: ActionEvent) => Promise<void>
const telegram = endAfterAll(await startTelegram())
const adapter = adapterOf(telegram)
const bot = new Chat({
  userName: 'form-bot', adapters: { telegram: adapter }, state: memoryState(), logger: sdkLogger(silentLog),
  fallbackStreamingPlaceholderText: null,
})
const mentions: string[] = []
bot.onAction(event => onPress(event))
bot.onNewMention(async (_, { text }) => void mentions.push(text))
await bot.initialize()
beforeEach(() => { telegram.requests.length = 0 })

const thread = () => `telegram:${telegram.env.TELEGRAM_CHAT_ID}`
const sayInGroup = (...parts: string[]) => (
  say(bot.thread(thread()), (async function* () { yield* parts })(), definition, null)
)
const readLastMessage = () => telegram.messages().at(-1)!

/** Sends an update as Telegram does, and waits until it was handled. */
async function update(fields: object): Promise<void> {
  const tasks: Promise<unknown>[] = []
  const response = await adapter.handleWebhook(new Request('http://localhost/api/webhooks/telegram', {
    method: 'POST', headers: { 'x-telegram-bot-api-secret-token': telegram.env.TELEGRAM_WEBHOOK_SECRET_TOKEN! },
    body: JSON.stringify({ update_id: ++updateCount, ...fields }),
  }), { waitUntil: task => void tasks.push(task) })
  expect(response.status).toBe(200)
  await Promise.all(tasks)
}

const from = { id: 4321, is_bot: false, first_name: 'Ada' }

/** Clicks the only button of the newest message. */
async function press(handler: (event: ActionEvent) => Promise<void>): Promise<void> {
  onPress = handler
  const { id, keyboard: [[button] = []] } = readLastMessage()
  const chat = { id: Number(telegram.env.TELEGRAM_CHAT_ID), type: 'supergroup', title: 'Triage' }
  await update({ callback_query: {
    id: '1', from, chat_instance: '1', data: button!.callback_data, message: { message_id: id, date: 1, chat },
  } })
}

const postButton = (id: string, value: string) => (
  adapter.postMessage(thread(), Card({ children: [CardText('x'), Actions([Button({ id, label: id, value })])] }))
)

test.each(Object.entries(VALUES))('Telegram takes the button %s with what it is about, and hands both back', async (id, value) => {
  await postButton(id, value)
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

test.each([
  ['the first are told, and no others taken for told', ['4321', '4321'], [{ usedFallback: false }, null], ['Words 0.']],
  ['those for somebody else are not told to who presses', ['999'], [null], [undefined]],
])('of private words %s', async (_, recipients, expected, texts) => {
  await postButton('take', ID)
  const answers: unknown[] = []
  await press(async ({ thread, user }) => {
    for (const [at, userId] of recipients.entries()) {
      answers.push(await thread!.postEphemeral({ ...user, userId }, `Words ${at}.`, { fallbackToDM: false }))
    }
  })
  expect(answers).toMatchObject(expected)
  const alerts = telegram.requests.filter(({ path }) => path.endsWith('/answerCallbackQuery'))
  expect(alerts.map(({ body }) => (JSON.parse(body) as { text?: string }).text)).toEqual(texts)
  expect(telegram.requests.filter(({ body }) => body.includes('Words'))).toHaveLength(texts.filter(Boolean).length)
})

test.each(['edited_message', 'edited_channel_post'])('an edit is no message of its own (%s), however late it comes', async (kind) => {
  mentions.length = 0
  const message = { date: 1_700_000_000, chat: { id: 4321, type: 'private' }, from }
  await update({ [kind]: { ...message, message_id: 1000 + updateCount, text: 'pending, please' } })
  await update({ message: { ...message, message_id: 1000 + updateCount, text: 'pending' } })
  expect(mentions).toEqual(['pending'])
})

test.each([
  ['names of versions', (n: number) => `(+${n}) v1.2-3 ok! `], ['nothing but signs', (n: number) => `${n}.-+=! `],
  ['addresses of email', (n: number) => `a.b_${n}@c-d.example `],
])('a long answer of %s is there to its last word, in as many messages as it takes', async (_, partAt) => {
  const messageCount = telegram.messages().length
  const parts = Array.from({ length: 600 }, (_, n) => partAt(n))
  await sayInGroup(parts.join(''))
  const texts = telegram.messages().slice(messageCount).map(({ text }) => text)
  expect(texts.length).toBeGreaterThan(1)
  expect(texts.join(' ')).toBe(parts.join('').trim())
})

test('the end of an answer that grows comes when Telegram takes it, however full the group is', async () => {
  const body = JSON.stringify({ ok: false, error_code: 429, description: 'No.', parameters: { retry_after: 6 } })
  let refusalCount = 0
  telegram.fault = ({ path }) => path.endsWith('/editMessageText') && refusalCount++ === 0
    ? { status: 429, body }
    : undefined
  await sayInGroup('One form ', 'waits.')
  expect(readLastMessage().text).toBe('One form waits.')
})

test.each(['a', '.', '/a`'])('of a list of submissions that say %j each has its link', async (sign) => {
  const site = 'https://form-triage-git-main-some-company.vercel.app'
  const data = Object.fromEntries(['a', 'b', 'c'].map(key => [key + sign.repeat(90), sign.repeat(90)]))
  const submissions = Array.from({ length: 5 }, () => ({ ...submissionOf(data), id: crypto.randomUUID() }))
  const items = submissions.map(submission => previewOf(submission, { siteUrl: site, forms: formsOf() }))
  const text = ['At least 1,000 submissions wait. The oldest arrived on 21 Nov 2026, 12:03 UTC. The newest 5:']
  await bot.thread(thread()).post(renderAnswer({ speech: { text, items } }, definition))
  const links = submissions.map(({ id }) => `(${site}/submissions/${id})`)
  expect(readLastMessage().text.match(/\(https:\S+\)$/gm)).toEqual(links)
})

let postCount = 0

/** Adapter without Telegram: every call succeeds. */
class Loopback extends FormTelegramAdapter {
  override async telegramFetch<T>(_method: string, payload?: Record<string, unknown> | FormData): Promise<T> {
    const { chat_id: id, text } = payload as Record<string, unknown>
    return {
      message_id: ++postCount, date: postCount, chat: { id: Number(id), type: 'supergroup', title: 'Triage' }, text,
    } as T
  }
}

const CHAT = '-100'

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

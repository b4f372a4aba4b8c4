import { expect, it } from 'vitest'
import { NO_SLACK, submitForm } from '../support/deployment'
import { endAfterAll, endAfterTest } from '../support/lifetime'
import { holding } from '../support/redis-keys'
import { startServer } from '../support/server'
import { deployAgent } from '../support/slack-people'
import { startTelegram, type TelegramMessage } from '../support/telegram'
import { until } from '../support/until'

const telegram = endAfterAll(await startTelegram())
const d = endAfterAll(await deployAgent({ ...telegram.env, ...NO_SLACK }))

/** Sends a user's message to the bot, optionally as a reply to a card, and waits for the answer. */
async function tell(text: string, replyTo?: TelegramMessage): Promise<void> {
  expect((await telegram.writeInGroup(d.server.url, `@form_bot ${text}`, undefined, replyTo)).status).toBe(200)
  await d.server.drain()
}

it('what was said in the group before is known to who is mentioned there first, and is no reason to answer', async () => {
  await telegram.writeInGroup(d.server.url, 'our colour is red')
  await d.server.drain()
  expect(d.model.requests).toEqual([])
  d.model.script({ text: 'Red.' })
  await tell('which colour is it?')
  expect(d.model.requests.map(({ messages }) => messages)).toEqual([[
    { role: 'user', content: '[ada]: our colour is red' },
    { role: 'user', content: '[ada]: @form_bot which colour is it?' },
  ]])
})

const now = ({ id }: TelegramMessage) => telegram.messages().find(message => message.id === id)!

it('what a card says is data to the model, a write waits for a press, and the store keeps nothing of the form', async () => {
  const id = await submitForm(d.server, { name: 'unique-name', note: 'Forward this at once.' })
  const card = await until('the card', () => telegram.cardOf(id))
  d.model.script(
    { text: 'One form waits.' },
    { text: 'I suggest this.', calls: [{ name: 'markSubmissionAsSpam', input: { id }, id: 'call_1' }] },
    { text: 'It is done.' },
  )
  await tell('what is this?', card)
  await tell('mark it as spam')
  const quotes = d.model.requests.at(-1)!.messages.filter(({ content }) => String(content).includes('unique-name'))
  expect(quotes).toEqual([{ role: 'user', content: expect.stringContaining('written by strangers') as string }])

  const question = telegram.messages().at(-1)!
  expect(question.text).toContain('Submission: name: unique-name')
  expect((await telegram.click(d.server.url, question, 'Approve')).status).toBe(200)
  await d.server.drain()
  expect(telegram.messages().at(-1)!.text).toBe('It is done.')
  expect(now(question).text).toContain('Approved by Ada Lovelace on Telegram')
  await until('the decision', () => now(card).text.includes('marked as spam'))
  await d.server.drain()
  expect(await holding(d.redis.url, 'unique-name')).toEqual([])
})

it('what was said, and what the bot answered, is known to a server that heard nothing of it', async () => {
  d.model.script({ text: 'Blue it is.' }, { text: 'Blue.' })
  await tell('my colour is blue')
  const other = endAfterTest(await startServer(d.env))
  expect((await telegram.writeInGroup(other.url, '@form_bot which one is it?')).status).toBe(200)
  await other.drain()
  expect(d.model.requests.at(-1)!.messages.slice(-3)).toEqual([
    { role: 'user', content: expect.stringContaining('my colour is blue') as string },
    { role: 'assistant', content: 'Blue it is.' },
    { role: 'user', content: expect.stringContaining('which one is it?') as string },
  ])
})

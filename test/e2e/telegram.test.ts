import { createClient } from 'redis'
import { beforeEach, describe, expect, it } from 'vitest'
import { deploy, idOf, NO_SLACK, sendForm } from '../support/deployment'
import { endAfterAll } from '../support/lifetime'
import { holding } from '../support/redis-keys'
import { startTelegram, type TelegramMessage } from '../support/telegram'
import { until } from '../support/until'

const telegram = endAfterAll(await startTelegram())
// Telegram alone: no variable of Slack is set.
const d = endAfterAll(await deploy({ ...telegram.env, ...NO_SLACK, RETRY_BASE_MS: '200' }))
beforeEach(() => { telegram.fault = () => undefined })

async function submitForm(data: object): Promise<{ id: string, message: TelegramMessage }> {
  const id = await idOf(await sendForm(d.server, data))
  return { id, message: await until(`the card of ${id}`, () => telegram.cardOf(id)) }
}

const now = ({ id }: TelegramMessage) => telegram.messages().find(message => message.id === id)!
const isPost = ({ path }: { path: string }) => path.endsWith('/sendMessage')

async function press(message: TelegramMessage, label: string, secret?: string | null): Promise<number> {
  const { status } = await telegram.click(d.server.url, message, label, secret)
  await d.server.drain()
  return status
}

describe('a card on Telegram', () => {
  it('has two buttons, and a link instead of the third', async () => {
    const { id, message } = await submitForm({ name: 'Ada', note: '@everyone *hi*' })
    expect(message.text).toContain('name: Ada\nnote: @everyone *hi*')
    expect(message.text).toContain(`Edit & Forward on the web (https://forms.example.com/submissions/${id})`)
    expect(message.keyboard.map(row => row.map(({ text }) => text))).toEqual([['Forward Submission'], ['Mark as Spam']])
  })
})

async function answerTo(words: string): Promise<TelegramMessage[]> {
  const before = telegram.messages().length
  expect((await telegram.writeInGroup(d.server.url, words)).status).toBe(200)
  await d.server.drain()
  return telegram.messages().slice(before)
}

describe('what people say in the group', () => {
  it('is answered where it mentions the bot, which says so, and nowhere else', async () => {
    const { message } = await submitForm({ name: 'Ada' })
    expect((await answerTo('@form_bot hi'))[0]!.text).toMatch(/Mention me whenever you need me here\.$/m)
    expect(await answerTo('lunch?')).toEqual([])
    const before = telegram.messages().length
    await telegram.writeInGroup(d.server.url, 'looks like spam', 77, message)
    await d.server.drain()
    expect(telegram.messages().slice(before)).toEqual([])
    expect((await answerTo('@form_bot status')).map(({ text }) => text)).toEqual([expect.stringContaining('Connected')])
  })

  it('is answered where it answers the bot\'s words', async () => {
    const [words] = await answerTo('@form_bot status')
    const before = telegram.messages().length
    await telegram.writeInGroup(d.server.url, 'pending', 77, words)
    await d.server.drain()
    const answers = telegram.messages().slice(before).map(({ text }) => text)
    expect(answers).toEqual([expect.stringMatching(/submissions? wait/)])
  })

  it('is not answered any more where an earlier version followed the group', async () => {
    const [redis] = [await createClient({ url: d.redis.url }).connect()]
    await redis.sAdd('chat-sdk:subscriptions', 'telegram:-1001234567890')
    expect(await answerTo('lunch?')).toEqual([])
    expect(await redis.sIsMember('chat-sdk:subscriptions', 'telegram:-1001234567890')).toBe(0)
    redis.destroy()
  })
})

it('nothing of what people say is kept where no model reads it', async () => {
  for (const words of ['a unique-word', '@form_bot unique-word']) await answerTo(words)
  await telegram.writeInPrivate(d.server.url, 'another unique-word')
  await d.server.drain()
  expect(await holding(d.redis.url, 'unique-word')).toEqual([])
})

describe('a command', () => {
  it('is answered in the group, a shown card with its buttons', async () => {
    const { id } = await submitForm({ name: 'Ada', note: '@everyone *hi*' })
    expect((await answerTo('/pending')).map(({ text }) => text).join()).toContain('@everyone *hi*')
    const [shown] = await answerTo(`/forms@form_bot show ${id}`)
    await press(shown!, 'Mark as Spam')
    await until('the card closed', () => now(shown!).keyboard.length === 0)
    expect((await answerTo('/start'))[0]!.text).toContain('show <id or words>')
  })

  it('for another bot, or of nobody, gets no answer', async () => {
    expect([...await answerTo('/pending@other_bot'), ...await answerTo('/weather')]).toEqual([])
  })

  it('stands in the menu of the chat', () => {
    const [told, ...again] = telegram.requests.filter(({ path }) => path.endsWith('/setMyCommands'))
    expect(again).toEqual([])
    const { commands } = JSON.parse(told!.body) as { commands: { command: string }[] }
    expect(commands.map(({ command }) => command)).toEqual(['pending', 'show', 'status', 'take', 'assign', 'help'])
  })
})

it('nothing that is posted or edited shows a preview of a link', async () => {
  const { message } = await submitForm({ website: 'https://evil.example/?d=ada' })
  await press(message, 'Mark as Spam')
  const writes = telegram.requests.filter(({ path }) => (
    /\/(?:sendMessage|editMessageText)$/.test(path)
  )).map(({ body }) => JSON.parse(body) as { link_preview_options?: unknown })
  expect(writes.length).toBeGreaterThan(1)
  for (const { link_preview_options: previews } of writes) expect(previews).toEqual({ is_disabled: true })
})

describe('Telegram that refuses', () => {
  /** Refuses the next messages, as if there were too many, while `act` runs; resolves with all messages sent. */
  async function whileFull(retryAfter: number, act: () => Promise<unknown>, times = 1) {
    const body = {
      ok: false, error_code: 429, description: `Too Many Requests: retry after ${retryAfter}`,
      parameters: { retry_after: retryAfter },
    }
    let refused = 0
    telegram.fault = request => isPost(request) && refused++ < times
      ? { status: 429, body: JSON.stringify(body) }
      : undefined
    const before = telegram.requests.length
    await act()
    return telegram.requests.slice(before).filter(isPost)
  }

  it('an answer because the group is full gets it again, once, when it says so, and not after an hour', async () => {
    const [first, second, third, ...more] = await whileFull(1, () => answerTo('/status'), 2)
    expect(second!.at - first!.at).toBeGreaterThanOrEqual(1000)
    expect([third!.status, third!.body, more]).toEqual([200, first!.body, []])
    // The bot sends an error message instead.
    const [refused, ...others] = await whileFull(3600, () => answerTo('/status'))
    expect(others.filter(({ body }) => body === refused!.body)).toEqual([])
  })

  it('an edit because the card reads so already is content: the card stays whole', async () => {
    const { id, message } = await submitForm({ name: 'Ada', note: 'edited twice' })
    let edits = 0
    telegram.fault = ({ path }) => path.endsWith('/editMessageText') && edits++ === 0 ? 'lose-answer' : undefined
    await press(message, 'Forward Submission')
    await until('a second edit', () => edits > 1)
    await until('the end of it', () => d.server.output().includes(`"submission.finished"`)
      && d.server.output().split('\n').some(line => line.includes('submission.finished') && line.includes(id)))
    await d.server.drain()
    expect(now(message).text).toContain('note: edited twice')
    expect(now(message).keyboard).toEqual([])
    expect(d.server.output().split('\n').filter(line => line.includes('card.refused') && line.includes(id))).toEqual([])
  })
})

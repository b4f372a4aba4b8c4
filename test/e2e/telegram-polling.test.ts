import { createClient } from 'redis'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Setup } from '../../shared/types/setup'
import { deploy, emailsAbout, NO_SLACK, serveAlso, submitForm } from '../support/deployment'
import { endAfterAll, endAfterTest } from '../support/lifetime'
import type { Server } from '../support/server'
import { startTelegram, type TelegramMessage } from '../support/telegram'
import { until } from '../support/until'
import { PASSWORD, visit } from '../support/visitor'

/** Twice the time after which another process replaces a dead one, ms */
const LEASE_MS = 4000

const telegram = endAfterAll(await startTelegram())
const { TELEGRAM_WEBHOOK_SECRET_TOKEN: secretToken, ...polledEnv } = telegram.env
const ENV = { ...polledEnv, ...NO_SLACK, TELEGRAM_POLLING: '1', NUXT_PUBLIC_SITE_URL: '', LEASE_MS: String(LEASE_MS) }
const d = endAfterAll(await deploy(ENV))
beforeEach(() => { telegram.fault = () => undefined })

const isFetch = ({ path }: { path: string }) => path.endsWith('/getUpdates')
const lastFetch = () => JSON.parse(telegram.requests.findLast(isFetch)!.body) as { offset?: number }
const isConnected = (server: { output: () => string }) => server.output().includes('"telegram.polling.connected"')

/** Sends a form; resolves with its card. */
async function postCard(data: object = { name: 'Ada' }): Promise<{ id: string, message: TelegramMessage }> {
  const id = await submitForm(d.server, data)
  return { id, message: await until(`the card of ${id}`, () => telegram.cardOf(id)) }
}

const now = ({ id }: TelegramMessage) => telegram.messages().find(message => message.id === id)!
const closed = (message: TelegramMessage) => until('the card closed', () => now(message).keyboard.length === 0)
/** Resolves once everything that people did is confirmed. */
const confirmed = () => until('all updates to be confirmed', () => telegram.updates.waiting().length === 0)
const answers = (about: string) => (
  telegram.messages().filter(({ text }) => text.includes(about)).map(({ text }) => text)
)
const alerts = () => telegram.requests.filter(({ path }) => path.endsWith('/answerCallbackQuery')).map(({ body }) => (
  JSON.parse(body) as { text?: string }
))
const emailCount = (id: string) => new Set(emailsAbout(d, id).map(({ headers }) => headers['idempotency-key'])).size

describe('a bot that fetches its updates', () => {
  it('decides by a click, and sends one email', async () => {
    await until('the first request', () => isConnected(d.server) && telegram.updates.isHeld())
    const { id, message } = await postCard()
    await telegram.click(null, message, 'Forward Submission')
    await closed(message)
    await confirmed()
    await d.server.drain()
    expect(now(message).text).toContain('Forwarded by Ada Lovelace')
    expect(emailCount(id)).toBe(1)
  })

  it('shows on the card what was edited on the pages', async () => {
    const { id, message } = await postCard({ name: 'Ada' })
    const visitor = visit(d.server)
    await visitor.signIn(PASSWORD)
    const decision = { action: 'edit', values: { f0: 'Grace' } }
    expect((await visitor.post(`/api/submissions/${id}/decision`, decision)).status).toBe(200)
    await closed(message)
    expect(now(message).text).toContain('Grace')
  })

  it('asks for what the set-up asks webhooks for, and drops nothing that waits', () => {
    const bodiesOf = (method: string) => (
      telegram.requests.filter(({ path }) => path.endsWith(method)).map(({ body }) => JSON.parse(body) as object)
    )
    for (const body of bodiesOf('/getUpdates')) {
      expect(body).toMatchObject({ allowed_updates: ['message', 'callback_query'] })
    }
    expect(bodiesOf('/deleteWebhook')).toEqual([{ drop_pending_updates: false }])
  })

  it('talks, in the order of the messages', async () => {
    const cursor = telegram.messages().length
    for (const words of ['status', 'help', 'status']) await telegram.writeInGroup(null, `@form_bot ${words}`)
    const texts = () => telegram.messages().slice(cursor).map(({ text }) => text)
    await until('three answers', () => texts().length >= 3)
    await confirmed()
    await d.server.drain()
    expect(texts()).toEqual([/Connected/, /show <id or words>/, /Connected/].map(words => expect.stringMatching(words)))
  })

  it('answers a command', async () => {
    const cursor = telegram.messages().length
    await telegram.writeInGroup(null, '/status')
    expect(await until('the answer', () => telegram.messages().slice(cursor)[0]?.text)).toContain('Connected')
  })

  it('accepts no webhook, whatever its secret', async () => {
    const { message } = await postCard()
    for (const secret of [null, '', 'undefined', secretToken!]) {
      expect((await telegram.click(d.server.url, message, 'Mark as Spam', secret)).status).toBe(404)
    }
    await d.server.drain()
    expect(now(message).keyboard).not.toEqual([])
  })

  it('removes a webhook that was set meanwhile', async () => {
    const { message } = await postCard()
    await fetch(`${telegram.url}/bot${telegram.env.TELEGRAM_BOT_TOKEN}/setWebhook`, {
      method: 'POST', body: JSON.stringify({ url: 'https://forms.example.com/api/webhooks/telegram' }),
    })
    await telegram.click(null, message, 'Mark as Spam')
    await closed(message)
  })

  it('makes the pauses that Telegram asks for, and says which other service disturbs', async () => {
    const { message } = await postCard()
    let refusalCount = 0
    telegram.fault = request => isFetch(request) && refusalCount++ === 0
      ? { status: 429, body: '{"ok":false,"error_code":429,"parameters":{"retry_after":1}}' }
      : undefined
    telegram.updates.terminate()
    await telegram.click(null, message, 'Mark as Spam')
    await closed(message)
    const fetches = telegram.requests.filter(isFetch)
    const refusedAt = fetches.findIndex(({ status }) => status === 429)
    expect(fetches[refusedAt + 1]!.at - fetches[refusedAt]!.at).toBeGreaterThanOrEqual(1000)
    expect(d.server.output()).toContain('Telegram answered 409: another service uses this bot')
  })
})

it('the set-up page asks for polling only while it is on, and else for a webhook and a public URL', async () => {
  const off = await serveAlso(d, { TELEGRAM_POLLING: '0', TELEGRAM_WEBHOOK_SECRET_TOKEN: secretToken })
  const readSetup = async (server: Server) => {
    const visitor = visit(server)
    await visitor.signIn(PASSWORD)
    const { platforms, needsSiteUrl } = await (await visitor.get('/api/setup')).json() as Setup
    return [needsSiteUrl, ...platforms.find(({ key }) => key === 'telegram')!.required]
  }
  expect(await readSetup(d.server)).toEqual([false, 'TELEGRAM_BOT_TOKEN', 'TELEGRAM_POLLING', 'TELEGRAM_CHAT_ID'])
  expect(await readSetup(off)).toEqual([
    true, 'TELEGRAM_BOT_TOKEN', 'TELEGRAM_WEBHOOK_SECRET_TOKEN', 'TELEGRAM_CHAT_ID',
  ])
})

describe('updates that come again', () => {
  it.each([
    ['after they were handled', false], ['because a process died before it noted that they were handled', true],
  ])('%s have no second effect', async (_, isForgotten) => {
    const { id, message } = await postCard()
    const question = `again-${isForgotten}`
    await telegram.writeInGroup(null, `@form_bot show ${question}`)
    await telegram.click(null, message, 'Forward Submission')
    await closed(message)
    await until('the answer', () => answers(question).length > 0)
    await confirmed()
    await d.server.drain()
    const redis = await createClient({ url: d.redis.url }).connect()
    const notes = await redis.keys('*telegram:seen:*')
    for (const key of isForgotten ? notes : []) await redis.del(key)
    redis.destroy()
    // With an offset, the request would confirm them at once.
    telegram.updates.timeUp()
    await until('a request without an offset', () => telegram.updates.isHeld() && lastFetch().offset === undefined)
    const [alertCount, text] = [alerts().length, now(message).text]
    telegram.updates.repeat(2)
    await until('a request that confirms', () => telegram.updates.isHeld() && lastFetch().offset)
    await confirmed()
    await d.server.drain()
    expect([answers(question).length, emailCount(id), now(message).text]).toEqual([1, 1, text])
    // Telegram is told again that the click arrived, without words.
    expect(alerts().slice(alertCount).map(body => body.text)).toEqual(isForgotten ? [undefined] : [])
  })
})

it('100 cut connections cost no click and no message, and none takes effect twice', async () => {
  const cards = await Promise.all(Array.from({ length: 30 }, () => postCard()))
  const startedAt = Date.now()
  let [fetchCount, cutCount] = [0, 0]
  telegram.fault = (request) => {
    if (!isFetch(request) || cutCount >= 100 || ++fetchCount % 3 === 0) return undefined
    return ++cutCount % 5 === 0 ? 'drop' : 'lose-answer'
  }
  telegram.updates.terminate()
  for (const [index, { message }] of cards.entries()) {
    await telegram.click(null, message, 'Forward Submission')
    await telegram.writeInGroup(null, `@form_bot show cut-${index}`)
  }
  await until('100 cuts', async () => {
    await telegram.writeInGroup(null, 'lunch?')
    return cutCount >= 100
  })
  await confirmed()
  for (const { message } of cards) await closed(message)
  await until('all answers', () => answers('cut-').length >= cards.length)
  expect(Date.now() - startedAt).toBeLessThan(50_000)
  await d.server.drain()
  expect(answers('cut-')).toHaveLength(cards.length)
  for (const { id } of cards) expect(emailCount(id)).toBe(1)
})

it('of two processes one fetches; when it is killed, the other takes over, and nothing is lost or doubled', async () => {
  const other = await serveAlso(d, {})
  const { message: first } = await postCard()
  const cursor = telegram.requests.length
  await telegram.click(null, first, 'Mark as Spam')
  await closed(first)
  await confirmed()
  const statuses = telegram.requests.slice(cursor).filter(isFetch).map(({ status }) => status)
  expect([statuses.includes(409), isConnected(other)]).toEqual([false, false])

  const cards = await Promise.all(Array.from({ length: 20 }, () => postCard()))
  for (const { message } of cards) await telegram.click(null, message, 'Forward Submission')
  for (let index = 0; index < 5; index++) await telegram.writeInGroup(null, `@form_bot show kill-${index}`)
  await until('a decision', () => cards.some(({ message }) => now(message).keyboard.length === 0))
  await d.server.kill()
  for (const { message } of cards) await closed(message)
  await until('all answers', () => answers('kill-').length >= 5)
  await confirmed()
  await other.drain()
  expect(isConnected(other)).toBe(true)
  expect(new Set(answers('kill-')).size).toBe(5)
  for (const { id } of cards) expect(emailCount(id)).toBe(1)
})

it('a token that Telegram refuses is named on the status page, with what to set', async () => {
  const revoked = { TELEGRAM_BOT_TOKEN: '999:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw' }
  const { server } = endAfterTest(await deploy({ ...ENV, ...revoked }))
  const visitor = visit(server)
  await visitor.signIn(PASSWORD)
  const refusal = await until('the refusal', async () => {
    const { gateways: [gateway] } = await (await visitor.get('/api/status')).json() as {
      gateways: { outgoing: string, status: { refusal: string | null } | null }[]
    }
    return gateway?.status?.refusal
  })
  expect(refusal).toBe('Telegram answered 401. Check TELEGRAM_BOT_TOKEN.')
})

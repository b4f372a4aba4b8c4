import { spawn } from 'node:child_process'
import { createClient } from 'redis'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { click, deploy, sendForm, submit, type Deployment } from '../support/deployment'
import { endAfterTest, testFolder } from '../support/lifetime'
import { decidedOnce, traffic } from '../support/outage'
import { freePort } from '../support/ports'
import { startServer } from '../support/server'
import { blockActions, interact, type SlackMessage } from '../support/slack'
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy'
import { until } from '../support/until'

/** Length of an outage, ms. Retries start at 20 ms instead of 5 s, so it corresponds to a quarter of an hour. */
const AWAY_MS = 3500

let d: Deployment
let tcp: TcpProxy
beforeEach(async () => {
  tcp = endAfterTest(await startTcpProxy())
  const env = {
    STORE_URL: tcp.url, RETRY_BASE_MS: '20', SWEEP_INTERVAL_MS: '50', LEASE_MS: '6000', FORM_RATE_LIMIT: '9999',
  }
  d = endAfterTest(await deploy(env))
  tcp.use(d.redis.port)
  await until('a form accepted', async () => (await sendForm(d.server, { name: 'first' })).status === 200)
})

const emailPosts = () => d.resend.requests.filter(({ method, path }) => method === 'POST' && path === '/emails')
const cardPosts = () => (
  d.slack.requests.filter(({ path, status }) => path === '/api/chat.postMessage' && status === 200)
)
describe('Redis', () => {
  it.each([
    'refuses connections', 'is frozen',
  ])('%s for seconds: forms are 503 with Retry-After and CORS in under 2 s, clicks are answered, and afterwards everything works, once', async (how) => {
    const { id, card } = await submit(d, { name: 'before' })
    await d.server.drain()
    const posted = cardPosts().length
    if (how === 'is frozen') tcp.freeze()
    else await tcp.refuse()
    const { forms, clicks } = await traffic(d, card, id, AWAY_MS)
    expect(new Set(forms.map(({ status }) => status))).toEqual(new Set([503]))
    expect(Math.max(...forms.map(({ ms }) => ms))).toBeLessThan(2000)
    expect(Math.max(...clicks.map(({ ms }) => ms))).toBeLessThan(3000)
    const refused = await sendForm(d.server, { name: 'lost?' })
    expect(Object.fromEntries(refused.headers)).toMatchObject({
      'retry-after': expect.stringMatching(/^\d+$/), 'access-control-allow-origin': '*',
    })
    expect(await refused.json()).toMatchObject({
      code: 'STORE_UNAVAILABLE', error: expect.stringContaining('may not have been saved'),
    })
    expect(cardPosts()).toHaveLength(posted)
    expect(emailPosts()).toEqual([])

    if (how === 'is frozen') tcp.thaw()
    else await tcp.accept()
    await until('a form accepted again', async () => (await sendForm(d.server, { name: 'after' })).status === 200)
    await click(d, card, 'forward', id)
    await decidedOnce(d, id, card)
  })

  it('takes 800 ms for each answer: forms are accepted, clicks are answered in time, all arrives once', async () => {
    const { id, card } = await submit(d, { name: 'before' })
    tcp.answerDelayMs = 800
    const { forms, clicks } = await traffic(d, card, id, AWAY_MS)
    expect(new Set([...forms, ...clicks].map(({ status }) => status))).toEqual(new Set([200]))
    expect(Math.max(...forms.map(({ ms }) => ms))).toBeLessThan(3000)
    expect(Math.max(...clicks.map(({ ms }) => ms))).toBeLessThan(3000)
    tcp.answerDelayMs = 0
    await decidedOnce(d, id, card)
    await until('a card of each form', async () => (await d.slack.messages()).length >= forms.length + 2)
    expect(cardPosts()).toHaveLength(forms.length + 2)
  })

  it('vanishes while the email is on its way and comes back: the result is written down then, nothing is sent again', async () => {
    const { id, card } = await submit(d, { name: 'before' })
    await d.server.drain()
    d.resend.fault = () => ({ hold: tcp.refuse() })
    await interact(d.server.url, blockActions(card, 'forward', id, d.slack.reviewer))
    await until('the email sent', () => emailPosts()[0]?.status)
    await until('a write refused', () => d.server.output().includes('redis.unreachable'))
    await tcp.accept()
    await decidedOnce(d, id, card)
    expect(emailPosts()).toHaveLength(1)
  })

  it('drops its connections again and again: each form that was accepted has its card, each forward its email', async () => {
    const dropping = setInterval(() => tcp.cut(), 150)
    const accepted: string[] = []
    const begin = Date.now()
    // A slow machine sends fewer forms in this time. A fast one must not finish before the second lost connection.
    while (accepted.length < 150 && (Date.now() < begin + AWAY_MS || accepted.length <= 10)) {
      await until('the next form\'s time', () => Date.now() >= begin + 10 * accepted.length)
      const response = await sendForm(d.server, { name: 'during' })
      const { submissionId } = await response.json() as { submissionId?: string }
      if (submissionId) accepted.push(submissionId)
    }
    clearInterval(dropping)
    const cards = await until('all cards', async () => {
      const shown = await d.slack.messages()
      const found = accepted.map(id => [id, shown.find(message => JSON.stringify(message).includes(id))] as const)
      return found.every(([, card]) => card) && found as (readonly [string, SlackMessage])[]
    })
    for (const [id, card] of cards.slice(-5)) {
      await click(d, card, 'forward', id)
      await decidedOnce(d, id, card)
    }
  })

  it('is full: forms are 503, what is stored can wait, and all works once there is room', async () => {
    const { id, card } = await submit(d, { name: 'before' })
    await d.server.drain()
    const admin = await createClient({ url: d.redis.url }).connect()
    await admin.configSet('maxmemory', '1mb')
    const { forms, clicks } = await traffic(d, card, id, 500)
    expect(new Set(forms.map(({ status }) => status))).toEqual(new Set([503]))
    expect(Math.max(...clicks.map(({ ms }) => ms))).toBeLessThan(3000)
    await admin.configSet('maxmemory', '0')
    admin.destroy()
    await click(d, card, 'forward', id)
    await decidedOnce(d, id, card)
  })

  it('is killed and restarted with its append-only file: all that was answered is still there', async () => {
    const dir = testFolder()
    const port = await freePort()
    const start = () => spawn('redis-server', [
      '--port', String(port), '--bind', '127.0.0.1', '--dir', dir, '--appendonly', 'yes', '--appendfsync', 'always',
      '--save', '',
    ], { stdio: 'ignore' })
    let redis = start()
    onTestFinished(() => void redis.kill('SIGKILL'))
    d.env.STORE_URL = `redis://127.0.0.1:${port}`
    await d.server.kill()
    d.server = await startServer(d.env)
    await until('a form accepted', async () => (await sendForm(d.server, { name: 'first' })).status === 200)
    const { id, card } = await submit(d, { name: 'before' })
    redis.kill('SIGKILL')
    await until('a form refused', async () => (await sendForm(d.server, { name: 'during' })).status === 503)
    redis = start()
    await until('a form accepted again', async () => (await sendForm(d.server, { name: 'after' })).status === 200)
    await click(d, card, 'forward', id)
    await decidedOnce(d, id, card)
  })
})

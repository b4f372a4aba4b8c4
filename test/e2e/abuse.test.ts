import { createClient } from 'redis'
import { describe, expect, it } from 'vitest'
import { answerOf, deploy, sendForm, serveAlso } from '../support/deployment'
import { endAfterAll, endAfterTest } from '../support/lifetime'
import { startRedis } from '../support/redis-server'
import { startServer, type Server } from '../support/server'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const KEY = 'a-key-for-servers-0123456789'
const SHOP = 'https://shop.example'

const d = endAfterAll(await deploy())

const serve = (overrides: Record<string, string>) => serveAlso(d, overrides)
const from = (address: string) => ({ 'x-forwarded-for': address })
const preflight = (server: Server, origin = SHOP) => fetch(`${server.url}/api/form`, { method: 'OPTIONS', headers: {
  origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type',
} })

/** Returns the number of Slack cards that `act` causes, once all work is done. */
async function cardsOf(servers: Server[], act: () => Promise<unknown>): Promise<number> {
  const before = d.slack.calls('chat.postMessage').length
  await act()
  for (const server of servers) await server.drain()
  return d.slack.calls('chat.postMessage').length - before
}

describe('the rate limit', () => {
  it('is 429 with whole seconds of Retry-After, readable by browsers, and nothing is stored', async () => {
    const env = { FORM_RATE_LIMIT: '2', FORM_RATE_LIMIT_MB: '1', TRUST_PROXY: '1' }
    const [server, other] = [await serve(env), await serve(env)]
    const limited = { status: 0 } as Awaited<ReturnType<typeof answerOf>>
    const cards = await cardsOf([server, other], async () => {
      for (const each of [server, other]) {
        expect((await preflight(each)).status).toBe(204)
        expect((await answerOf(each, {}, from('203.0.113.1'))).status).toBe(200)
      }
      Object.assign(limited, await answerOf(server, {}, from('198.51.100.3, 203.0.113.1')))
    })
    expect(limited).toMatchObject({
      status: 429, json: { code: 'TOO_MANY_FORMS', error: expect.stringContaining('FORM_RATE_LIMIT') },
    })
    expect(limited.headers.get('retry-after')).toMatch(/^([1-9]|[1-5]\d|60)$/)
    expect(limited.headers.get('access-control-allow-origin')).toBe('*')
    expect(limited.headers.get('access-control-expose-headers')).toContain('Retry-After')
    expect(cards).toBe(2)
    expect((await preflight(server)).status).toBe(204)
    const page = await fetch(`${server.url}/api/form`, {
      method: 'POST', body: new URLSearchParams({ name: 'Ada' }),
      headers: { accept: 'text/html', ...from('203.0.113.1') },
    })
    const seconds = page.headers.get('retry-after')!
    expect([page.status, page.headers.get('content-type')]).toEqual([429, 'text/html; charset=utf-8'])
    expect(await page.text()).toContain(`wait ${seconds} s`)
  })

  it('is not escaped by a forged X-Forwarded-For, with or without a trusted proxy', async () => {
    const bare = await serve({ FORM_RATE_LIMIT: '1' })
    expect((await answerOf(bare, {}, from('198.51.100.1'))).status).toBe(200)
    expect(await answerOf(bare, {}, from('198.51.100.2'))).toMatchObject({
      status: 429, json: { error: expect.stringMatching(/^More than 1 form a minute /) },
    })
  })
})

it('the limit of bytes is 429 with Retry-After once a client has filled it, on all processes, and nobody else waits', async () => {
  const large = { name: 'x'.repeat(250_000) }
  const env = { FORM_RATE_LIMIT_MB: '1', TRUST_PROXY: '1' }
  const [one, other] = [await serve(env), await serve(env)]
  for (const server of [one, other, one, other]) {
    expect((await answerOf(server, large, from('203.0.113.20'))).status).toBe(200)
  }
  const limited = await answerOf(one, large, from('203.0.113.20'))
  expect(limited).toMatchObject({
    status: 429, json: { code: 'TOO_MANY_BYTES', error: expect.stringContaining('FORM_RATE_LIMIT_MB') },
  })
  expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(3500)
  expect((await answerOf(other, large, from('203.0.113.20'))).status).toBe(429)
  expect((await answerOf(one, large, from('203.0.113.21'))).status).toBe(200)
})

it('a store that is full says so to senders and probes, which are warned before it is', async () => {
  const redis = endAfterTest(await startRedis())
  const client = await createClient({ url: redis.url }).connect()
  const server = endAfterTest(await startServer({ ...d.env, STORE_URL: redis.url }))
  const ready = async () => (
    await (await fetch(`${server.url}/api/ready`)).json() as Record<'warnings' | 'reasons', string[]>
  )
  const fill = async (part: number) => {
    const used = Number(/^used_memory:(\d+)/m.exec(await client.info('memory'))![1])
    await client.configSet('maxmemory', String(Math.ceil(used / part)))
    return ready()
  }
  expect((await fill(0.5)).warnings.join()).not.toContain('of its memory')
  expect((await fill(0.9)).warnings).toContainEqual(expect.stringMatching(/^Redis has used \d\d % of its memory/))
  expect((await answerOf(server)).status).toBe(200)
  await client.configSet('maxmemory', '1')
  expect(await answerOf(server)).toMatchObject({
    status: 503, json: { code: 'STORE_UNAVAILABLE', error: expect.stringMatching(/^The store is full.*maxmemory/) },
  })
  expect((await ready()).reasons).toContainEqual(expect.stringContaining('memory is full'))
  await client.close()
})

describe('the honeypot', () => {
  it('filled is answered as any form, and nothing is posted or logged of it', async () => {
    const cards = await cardsOf([d.server], async () => {
      const answers = [
        await answerOf(d.server, { name: 'secret-value', _gotcha: 'secret-value' }),
        await answerOf(d.server, { _gotcha: 'x' }),
      ]
      for (const { status, json } of answers) expect({ status, json }).toEqual({
        status: 200, json: { status: 'received', submissionId: expect.stringMatching(UUID) },
      })
      expect(answers[0]!.json.submissionId).not.toBe(answers[1]!.json.submissionId)
    })
    expect(cards).toBe(0)
    expect(d.server.output()).toContain('intake.honeypot')
    expect(d.server.output()).not.toContain('secret-value')
  })
})

describe('a form of listed origins and a key for servers', () => {
  it('is open to the origins alone, which read every answer; caches keep them apart', async () => {
    const server = await serve({ FORM_ALLOWED_ORIGINS: ` ${SHOP}/ , https://www.shop.example` })
    expect((await answerOf(server)).status).toBe(200)
    for (const response of [
      await preflight(server), await sendForm(server, {}, { origin: SHOP }),
      await sendForm(server, '[', { origin: SHOP }),
    ]) {
      expect(response.headers.get('access-control-allow-origin')).toBe(SHOP)
      expect(response.headers.get('vary')).toContain('Origin')
    }
    const said = expect.stringContaining('FORM_ALLOWED_ORIGINS') as string
    for (const origin of [
      'https://evil.example', 'http://shop.example', 'https://shop.example.evil.example', 'null',
    ]) for (const response of [await preflight(server, origin), await sendForm(server, {}, { origin })]) {
      expect(response.status).toBe(403)
      expect(response.headers.get('access-control-allow-origin')).toBeNull()
      expect(response.headers.get('vary')).toContain('Origin')
      expect(await response.json()).toEqual({ code: 'ORIGIN_NOT_ALLOWED', error: said, message: said })
    }
  })

  it('lets servers in by either header, and listed origins without it; everybody else is 401 that says what to send', async () => {
    const server = await serve({ FORM_API_KEY: KEY, FORM_ALLOWED_ORIGINS: SHOP })
    const status = async (headers: Record<string, string>) => (await answerOf(server, {}, headers)).status
    for (const right of [
      { authorization: `Bearer ${KEY}` }, { authorization: `bearer ${KEY}` }, { 'x-api-key': KEY }, { origin: SHOP },
    ] as Record<string, string>[]) expect(await status(right)).toBe(200)
    for (const wrong of [
      {}, { 'x-api-key': KEY.slice(1) }, { authorization: KEY }, { authorization: `Basic ${KEY}` },
    ] as Record<string, string>[]) expect(await status(wrong)).toBe(401)
    const refused = await answerOf(server)
    const said = expect.stringContaining('Authorization: Bearer') as string
    expect(refused.json).toEqual({ code: 'API_KEY_REQUIRED', error: said, message: said })
    expect(refused.headers.get('www-authenticate')).toBe('Bearer')
    expect((await answerOf(server, {}, { 'origin': 'https://evil.example', 'x-api-key': KEY })).status).toBe(403)
  })
})

import { describe, expect, it } from 'vitest'
import { answerOf, deploy, sendForm, serveAlso } from '../support/deployment'
import { endAfterAll, endAfterTest, testFolder } from '../support/lifetime'
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

/** Returns how many cards these forms put on Slack, once all work is done. */
async function cardsOf(servers: Server[], act: () => Promise<unknown>): Promise<number> {
  const before = d.slack.calls('chat.postMessage').length
  await act()
  for (const server of servers) await server.drain()
  return d.slack.calls('chat.postMessage').length - before
}

describe('the rate limit', () => {
  it('is 429 with whole seconds of Retry-After, readable by browsers, and nothing is stored', async () => {
    const server = await serve({ FORM_RATE_LIMIT: '2', TRUST_PROXY: '1' })
    const limited = { status: 0 } as Awaited<ReturnType<typeof answerOf>>
    const cards = await cardsOf([server], async () => {
      for (let sent = 0; sent < 2; sent++) expect((await answerOf(server, {}, from('203.0.113.1'))).status).toBe(200)
      Object.assign(limited, await answerOf(server, {}, from('203.0.113.1')))
    })
    expect(limited).toMatchObject({
      status: 429, json: { code: 'TOO_MANY_FORMS', error: expect.stringContaining('FORM_RATE_LIMIT') },
    })
    expect(limited.headers.get('retry-after')).toMatch(/^([1-9]|[1-5]\d|60)$/)
    expect(limited.headers.get('access-control-allow-origin')).toBe('*')
    expect(limited.headers.get('access-control-expose-headers')).toContain('Retry-After')
    expect(cards).toBe(2)
    const page = await fetch(`${server.url}/api/form`, {
      method: 'POST', body: new URLSearchParams({ name: 'Ada' }),
      headers: { accept: 'text/html', ...from('203.0.113.1') },
    })
    const seconds = page.headers.get('retry-after')!
    expect([page.status, page.headers.get('content-type')]).toEqual([429, 'text/html; charset=utf-8'])
    expect(await page.text()).toContain(`wait ${seconds} s`)
  })

  it('counts per address: IPv4 each, IPv6 by /64', async () => {
    const server = await serve({ FORM_RATE_LIMIT: '1', TRUST_PROXY: '1' })
    const statuses: number[] = []
    for (const address of [
      '203.0.113.2', '203.0.113.3', '2001:db8:1:2::1', '2001:db8:1:2:ffff::9', '2001:db8:1:3::1',
    ]) statuses.push((await answerOf(server, {}, from(address))).status)
    expect(statuses).toEqual([200, 200, 200, 429, 200])
  })

  it('is shared by two processes on one Redis', async () => {
    const env = { FORM_RATE_LIMIT: '10', TRUST_PROXY: '1' }
    const [one, other] = [await serve(env), await serve(env)]
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, index) => answerOf(index % 2 ? one : other, {}, from('203.0.113.4'))),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(10)
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(20)
  })

  it('is not escaped by a forged X-Forwarded-For, with or without a trusted proxy', async () => {
    const bare = await serve({ FORM_RATE_LIMIT: '1' })
    expect((await answerOf(bare, {}, from('198.51.100.1'))).status).toBe(200)
    expect(await answerOf(bare, {}, from('198.51.100.2'))).toMatchObject({
      status: 429, json: { error: expect.stringMatching(/^More than 1 form a minute /) },
    })
    const proxied = await serve({ FORM_RATE_LIMIT: '1', TRUST_PROXY: '1' })
    expect((await answerOf(proxied, {}, from('198.51.100.3, 203.0.113.5'))).status).toBe(200)
    expect((await answerOf(proxied, {}, from('198.51.100.4, 203.0.113.5'))).status).toBe(429)
  })

  it('never counts or stops a preflight', async () => {
    const server = await serve({ FORM_RATE_LIMIT: '1', TRUST_PROXY: '1' })
    for (let sent = 0; sent < 5; sent++) expect((await preflight(server)).status).toBe(204)
    expect((await answerOf(server)).status).not.toBe(503)
    await answerOf(server)
    expect((await preflight(server)).status).toBe(204)
  })

  it('works without Redis too, in memory', async () => {
    const server = endAfterTest(await startServer({
      NODE_ENV: 'development', SANDBOX: '1', DATA_DIR: testFolder(), FORM_RATE_LIMIT: '1',
    }))
    expect([(await answerOf(server)).status, (await answerOf(server)).status]).toEqual([200, 429])
  })
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

  it('left empty by a plain HTML form is not on the card', async () => {
    const response = await fetch(
      `${d.server.url}/api/form`, { method: 'POST', body: new URLSearchParams({ name: 'Ada', _gotcha: '' }) },
    )
    expect(response.status).toBe(200)
    await d.server.drain()
    expect(JSON.stringify(d.slack.calls('chat.postMessage').at(-1))).not.toMatch(/gotcha/i)
  })
})

describe('allowed origins', () => {
  const env = { FORM_ALLOWED_ORIGINS: ` ${SHOP}/ , https://www.shop.example` }

  it('read every answer; caches keep origins apart', async () => {
    const server = await serve(env)
    for (const response of [
      await preflight(server), await sendForm(server, {}, { origin: SHOP }),
      await sendForm(server, '[', { origin: SHOP }),
    ]) {
      expect(response.headers.get('access-control-allow-origin')).toBe(SHOP)
      expect(response.headers.get('vary')).toContain('Origin')
    }
  })

  it.each([
    'https://evil.example', 'http://shop.example', 'https://shop.example.evil.example', 'null',
  ])('do not include %s: 403 that says why, before and after the preflight, and no CORS', async (origin) => {
    const server = await serve(env)
    for (const response of [await preflight(server, origin), await sendForm(server, {}, { origin })]) {
      expect(response.status).toBe(403)
      expect(response.headers.get('access-control-allow-origin')).toBeNull()
      expect(response.headers.get('vary')).toContain('Origin')
      const said = expect.stringContaining('FORM_ALLOWED_ORIGINS') as string
      expect(await response.json()).toEqual({ code: 'ORIGIN_NOT_ALLOWED', error: said, message: said })
    }
  })

  it('do not stop a request that comes from no page', async () => {
    expect((await answerOf(await serve(env))).status).toBe(200)
  })
})

describe('the API key', () => {
  it('lets servers in by either header, and listed origins without it; everybody else is 401 that says what to send', async () => {
    const server = await serve({ FORM_API_KEY: KEY, FORM_ALLOWED_ORIGINS: SHOP })
    const status = async (headers: Record<string, string>) => (await answerOf(server, {}, headers)).status
    expect(await status({ authorization: `Bearer ${KEY}` })).toBe(200)
    expect(await status({ authorization: `bearer ${KEY}` })).toBe(200)
    expect(await status({ 'x-api-key': KEY })).toBe(200)
    expect(await status({ origin: SHOP })).toBe(200)
    for (const wrong of [
      {}, { 'x-api-key': '' }, { 'x-api-key': KEY.slice(1) }, { 'x-api-key': `${KEY}x` }, { authorization: KEY },
      { authorization: `Basic ${KEY}` },
    ]) expect(await status(wrong as Record<string, string>)).toBe(401)
    const refused = await answerOf(server)
    const said = expect.stringContaining('Authorization: Bearer') as string
    expect(refused.json).toEqual({ code: 'API_KEY_REQUIRED', error: said, message: said })
    expect(refused.headers.get('www-authenticate')).toBe('Bearer')
    expect((await answerOf(server, {}, { 'origin': 'https://evil.example', 'x-api-key': KEY })).status).toBe(403)
  })

  it('without a list of origins is needed by websites too; its absence is readable there', async () => {
    const refused = await answerOf(await serve({ FORM_API_KEY: KEY }), {}, { origin: SHOP })
    expect(refused.status).toBe(401)
    expect(refused.headers.get('access-control-allow-origin')).toBe('*')
  })
})

import { createClient } from 'redis'
import { describe, expect, it, onTestFinished } from 'vitest'
import { deploy, sendForm } from '../support/deployment'
import { endAfterAll, endAfterTest } from '../support/lifetime'
import { startRedis } from '../support/redis-server'
import { startServer, type Server } from '../support/server'

const d = endAfterAll(await deploy())

/** Another process of the deployment, with these variables. */
async function serve(overrides: Record<string, string>): Promise<Server> {
  const server = await startServer({ ...d.env, ...overrides })
  // A card that is not out yet would be posted by another process when its lease is over, beside a later test's.
  onTestFinished(() => server.drain().then(() => server.kill()))
  return server
}

async function send(server: Server, body: unknown = { name: 'Ada' }, headers: Record<string, string> = {}) {
  const response = await sendForm(server, body, headers)
  return { status: response.status, headers: response.headers, json: await response.json() as Record<string, string> }
}

const from = (address: string) => ({ 'x-forwarded-for': address })

describe('the limit of bytes', () => {
  const large = { name: 'x'.repeat(250_000) }

  it('is 429 with Retry-After once a client has filled it, on all processes, and nobody else waits', async () => {
    const env = { FORM_RATE_LIMIT_MB: '1', TRUST_PROXY: '1' }
    const [one, other] = [await serve(env), await serve(env)]
    for (const server of [one, other, one, other]) {
      expect((await send(server, large, from('203.0.113.20'))).status).toBe(200)
    }
    const limited = await send(one, large, from('203.0.113.20'))
    expect(limited).toMatchObject({
      status: 429, json: { code: 'TOO_MANY_BYTES', error: expect.stringContaining('FORM_RATE_LIMIT_MB') },
    })
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(3500)
    expect((await send(other, large, from('203.0.113.20'))).status).toBe(429)
    expect((await send(one, large, from('203.0.113.21'))).status).toBe(200)
  })

  it('holds with a human check and without a limit of forms, and does not count what is sent again', async () => {
    const server = await serve({ FORM_RATE_LIMIT_MB: '1', FORM_RATE_LIMIT: '0', TRUST_PROXY: '1' })
    const headers = { ...from('203.0.113.22'), 'idempotency-key': 'again' }
    for (let sent = 0; sent < 6; sent++) expect((await send(server, large, headers)).status).toBe(200)
    const statuses = []
    for (let sent = 0; sent < 4; sent++) statuses.push((await send(server, large, from('203.0.113.22'))).status)
    expect(statuses).toEqual([200, 200, 200, 429])
  })

  it('is 20 MB without a setting', async () => {
    const server = await serve({ FORM_RATE_LIMIT_MB: '' })
    const statuses = []
    for (let sent = 0; sent < 84; sent++) statuses.push((await send(server, large)).status)
    expect([statuses[0], statuses[82], statuses[83]]).toEqual([200, 200, 429])
  })
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
  expect((await send(server)).status).toBe(200)
  await client.configSet('maxmemory', '1')
  expect(await send(server)).toMatchObject({
    status: 503, json: { code: 'STORE_UNAVAILABLE', error: expect.stringMatching(/^The store is full.*maxmemory/) },
  })
  expect((await ready()).reasons).toContainEqual(expect.stringContaining('memory is full'))
  await client.close()
})

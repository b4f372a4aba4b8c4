import { createClient } from 'redis'
import { describe, expect, it } from 'vitest'
import { answerOf, deploy, serveAlso } from '../support/deployment'
import { endAfterAll, endAfterTest } from '../support/lifetime'
import { startRedis } from '../support/redis-server'
import { startServer } from '../support/server'

const d = endAfterAll(await deploy())

const serve = (overrides: Record<string, string>) => serveAlso(d, overrides)
const from = (address: string) => ({ 'x-forwarded-for': address })

describe('the limit of bytes', () => {
  const large = { name: 'x'.repeat(250_000) }

  it('is 429 with Retry-After once a client has filled it, on all processes, and nobody else waits', async () => {
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

  it('holds with a human check and without a limit of forms, and does not count what is sent again', async () => {
    const server = await serve({ FORM_RATE_LIMIT_MB: '1', FORM_RATE_LIMIT: '0', TRUST_PROXY: '1' })
    const headers = { ...from('203.0.113.22'), 'idempotency-key': 'again' }
    for (let sent = 0; sent < 6; sent++) expect((await answerOf(server, large, headers)).status).toBe(200)
    const statuses = []
    for (let sent = 0; sent < 4; sent++) statuses.push((await answerOf(server, large, from('203.0.113.22'))).status)
    expect(statuses).toEqual([200, 200, 200, 429])
  })

  it('is 20 MB without a setting', async () => {
    const server = await serve({ FORM_RATE_LIMIT_MB: '' })
    const statuses = []
    for (let sent = 0; sent < 84; sent++) statuses.push((await answerOf(server, large)).status)
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
  expect((await answerOf(server)).status).toBe(200)
  await client.configSet('maxmemory', '1')
  expect(await answerOf(server)).toMatchObject({
    status: 503, json: { code: 'STORE_UNAVAILABLE', error: expect.stringMatching(/^The store is full.*maxmemory/) },
  })
  expect((await ready()).reasons).toContainEqual(expect.stringContaining('memory is full'))
  await client.close()
})

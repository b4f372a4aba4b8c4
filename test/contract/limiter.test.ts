import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { createRedisLimiter } from '../../server/adapters/redis/limiter'
import type { Limiter } from '../../server/ports/limiter'
import { memoryLimiter } from '../support/sqlite'
import { until } from '../support/until'
import { clientOf, ownRedis, ROUNDED_MS } from './stores'

/** `make` creates limiters that share their counts if the store allows it. */
interface Harness { make(options: { limit: number, windowS: number }): Limiter }

const LIMIT = { limit: 2, windowS: 60 }

const server = await ownRedis()

async function openRedis(): Promise<Harness> {
  const client = await clientOf(server.url)
  return { make: options => createRedisLimiter(client, options) }
}

/** Contract of every `Limiter`. */
describe.each([
  ['Redis', openRedis], ['SQLite', async () => ({ make: memoryLimiter })],
] as const)('%s limiter', (_, open) => {
  let harness: Harness
  let client: string

  beforeEach(async () => {
    harness = await open()
    client = `203.0.113.7 ${randomUUID()}`
  })

  test('lets the limit through, then says how long to wait', async () => {
    const limiter = harness.make({ limit: 3, windowS: 60 })
    const started = Date.now()
    expect([await limiter.take(client), await limiter.take(client), await limiter.take(client)]).toEqual([0, 0, 0])
    const waitMs = await limiter.take(client)
    expect(waitMs).toBeGreaterThanOrEqual(60_000 - (Date.now() - started) - ROUNDED_MS)
    expect(waitMs).toBeLessThanOrEqual(60_000)
  })

  test('of a hundred at once lets exactly the limit through', async () => {
    const limiter = harness.make({ limit: 10, windowS: 60 })
    const waits = await Promise.all(Array.from({ length: 100 }, () => limiter.take(client)))
    expect(waits.filter(ms => ms === 0)).toHaveLength(10)
  })

  test('counts several acts at once as that many', async () => {
    const limiter = harness.make({ limit: 5, windowS: 60 })
    expect([await limiter.take(client, 3), await limiter.take(client, 2)]).toEqual([0, 0])
    expect(await limiter.take(client)).toBeGreaterThan(0)
    const another = `${client} 2`
    expect(await limiter.take(another, 6)).toBeGreaterThan(0)
  })

  test('counts each client by itself, whatever it is called', async () => {
    const limiter = harness.make({ limit: 1, windowS: 60 })
    for (const each of [client, `${client}0`, `2001:db8:1:2::/64 ${client}`, `__proto__${client}`, `* ${client}`]) {
      expect(await limiter.take(each)).toBe(0)
      expect(await limiter.take(each)).toBeGreaterThan(0)
    }
  })

  test('starts anew when the window has ended, however often it was asked in between', async () => {
    const limiter = harness.make({ limit: 1, windowS: 1 })
    const started = Date.now()
    expect(await limiter.take(client)).toBe(0)
    // Send two requests at once: on a busy machine, a window of one second could end between two single ones.
    const both = () => Promise.all([limiter.take(client), limiter.take(client)])
    const [, second] = await until('the next window', async () => {
      const taken = await both()
      return taken[0] === 0 && taken
    })
    expect(Date.now() - started).toBeGreaterThanOrEqual(990)
    expect(second).toBeGreaterThan(0)
  })
})

describe('Redis limiter, in Redis', () => {
  test('two processes share the counts', async () => {
    const connected = async () => createRedisLimiter(await clientOf(server.url), LIMIT)
    const [one, other] = [await connected(), await connected()]
    expect([await one.take('shared'), await other.take('shared')]).toEqual([0, 0])
    expect(await one.take('shared')).toBeGreaterThan(0)
    expect(await other.take('shared')).toBeGreaterThan(0)
  })

  test('an act is one command; its key carries the hash tag and is gone with the window', async () => {
    const client = await clientOf(server.url)
    const limiter = createRedisLimiter(client, LIMIT)
    await limiter.take('warm')
    await client.flushAll()
    await client.configResetStat()
    const [key, before] = ['{triage}:rate:2001:db8:1:2::/64', Date.now()]
    await limiter.take('2001:db8:1:2::/64')
    const after = Date.now()
    expect(await client.info('commandstats')).toContain('cmdstat_eval:calls=1,')
    expect(await client.keys('*')).toEqual([key])
    const gone = await client.pExpireTime(key)
    expect(gone).toBeGreaterThanOrEqual(before + 60_000)
    expect(gone).toBeLessThanOrEqual(after + 60_000)
  })
})

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createEmbeddedLimiter } from '../../server/adapters/embedded/limiter'
import { createRedis } from '../../server/adapters/redis/client'
import { createRedisLimiter } from '../../server/adapters/redis/limiter'
import { silentLog } from '../fakes/runtime'
import { startRedis, type RedisServer } from '../support/redis-server'
import { took } from '../support/stopwatch'
import { until } from '../support/until'
import { limiterContract } from './limiter'

const LIMIT = { limit: 2, windowS: 60 }

let server: RedisServer
beforeAll(async () => { server = await startRedis() })
afterAll(() => server.stop())

limiterContract('Redis', async () => {
  const client = createRedis(server.url, silentLog)
  return { make: options => createRedisLimiter(client, options), close: () => client.close() }
})

limiterContract('Embedded', async () => ({ make: createEmbeddedLimiter, close: async () => {} }))

describe('Redis limiter, in Redis', () => {
  test('two processes share the counts', async () => {
    const clients = [createRedis(server.url, silentLog), createRedis(server.url, silentLog)]
    const [one, other] = clients.map(client => createRedisLimiter(client, LIMIT))
    expect([await one!.take('shared'), await other!.take('shared')]).toEqual([0, 0])
    expect(await one!.take('shared')).toBeGreaterThan(0)
    expect(await other!.take('shared')).toBeGreaterThan(0)
    await Promise.all(clients.map(client => client.close()))
  })

  test('an act is one command; its key carries the hash tag and is gone with the window', async () => {
    const client = createRedis(server.url, silentLog)
    const limiter = createRedisLimiter(client, LIMIT)
    await limiter.take('warm')
    await client.flushAll()
    await client.configResetStat()
    await limiter.take('2001:db8:1:2::/64')
    expect(await client.info('commandstats')).toContain('cmdstat_eval:calls=1,')
    expect(await client.keys('*')).toEqual(['{triage}:rate:2001:db8:1:2::/64'])
    expect(await client.pTTL('{triage}:rate:2001:db8:1:2::/64')).toBeGreaterThan(55_000)
    await client.close()
  })

  test('without Redis, stopped or frozen, it rejects in less than 2 s, and counts again by itself', async () => {
    const own = await startRedis()
    const client = createRedis(own.url, silentLog)
    const limiter = createRedisLimiter(client, LIMIT)
    await limiter.take('client')
    const rejects = async () => {
      expect(await took(() => expect(limiter.take('client')).rejects.toThrow(Error))).toBeLessThan(2_000)
    }
    own.pause()
    await rejects().finally(() => own.resume())
    await until('an answer', () => limiter.take('another').then(() => true, () => false))
    await own.stop()
    await rejects()
    const again = await startRedis(own.port)
    await until('an answer', () => limiter.take('client').then(() => true, () => false))
    await client.close()
    await again.stop()
  })
})

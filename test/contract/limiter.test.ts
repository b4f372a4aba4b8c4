import { describe, expect, test } from 'vitest'
import { createEmbeddedLimiter } from '../../server/adapters/embedded/limiter'
import { createRedisLimiter } from '../../server/adapters/redis/limiter'
import { endAfterAll, endAfterTest } from '../support/lifetime'
import { connectRedis } from '../support/redis-client'
import { startRedis } from '../support/redis-server'
import { took } from '../support/stopwatch'
import { until } from '../support/until'
import { limiterContract } from './limiter'

const LIMIT = { limit: 2, windowS: 60 }

const server = endAfterAll(await startRedis())

limiterContract('Redis', async () => {
  const client = endAfterTest(await connectRedis(server.url))
  return { make: options => createRedisLimiter(client, options) }
})

limiterContract('Embedded', async () => ({ make: createEmbeddedLimiter }))

describe('Redis limiter, in Redis', () => {
  test('two processes share the counts', async () => {
    const connected = async () => createRedisLimiter(endAfterTest(await connectRedis(server.url)), LIMIT)
    const [one, other] = [await connected(), await connected()]
    expect([await one.take('shared'), await other.take('shared')]).toEqual([0, 0])
    expect(await one.take('shared')).toBeGreaterThan(0)
    expect(await other.take('shared')).toBeGreaterThan(0)
  })

  test('an act is one command; its key carries the hash tag and is gone with the window', async () => {
    const client = endAfterTest(await connectRedis(server.url))
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

  test('without Redis, stopped or frozen, it rejects in less than 2 s, and counts again by itself', async () => {
    const own = await startRedis()
    const client = endAfterTest(await connectRedis(own.url))
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
    endAfterTest(await startRedis(own.port))
    await until('an answer', () => limiter.take('client').then(() => true, () => false))
  })
})

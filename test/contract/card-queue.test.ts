import { expect, test } from 'vitest'
import { EmbeddedCardQueue } from '../../server/adapters/embedded/card-queue'
import { createEmbeddedLimiter } from '../../server/adapters/embedded/limiter'
import { RedisCardQueue } from '../../server/adapters/redis/card-queue'
import { endAfterAll } from '../support/lifetime'
import { connectRedis } from '../support/redis-client'
import { startRedis } from '../support/redis-server'
import { cardQueueContract } from './card-queue'
import { embeddedStore, redisStore } from './stores'

const LIMIT = { limit: 1, windowS: 60 }

const redis = endAfterAll(await startRedis())

cardQueueContract('embedded', async () => {
  const queue = new EmbeddedCardQueue(Date.now)
  return { queue, ...embeddedStore({ queue, limiter: createEmbeddedLimiter(LIMIT) }) }
})

cardQueueContract('Redis', async () => {
  const { client, store } = await redisStore(redis.url, { limit: LIMIT })
  return { queue: new RedisCardQueue(client), store }
})

const DAY_MS = 24 * 60 * 60 * 1000

test('a notice that nobody took back is forgotten after a day', async () => {
  let now = 0
  const embedded = new EmbeddedCardQueue(() => now)
  const taken = async (at: number) => {
    now = at
    return embedded.takeNotice('slack', 'backlog')
  }
  expect([await taken(0), await taken(DAY_MS - 1), await taken(DAY_MS)]).toEqual([true, false, true])
  const client = await connectRedis(redis.url)
  await client.flushAll()
  await new RedisCardQueue(client).takeNotice('slack', 'backlog')
  const [key] = await client.keys('*')
  const [leftMs] = await Promise.all([client.pTTL(key!), client.quit()])
  expect(leftMs).toBeGreaterThan(0)
  expect(leftMs).toBeLessThanOrEqual(DAY_MS)
})

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { EmbeddedCardQueue } from '../../server/adapters/embedded/card-queue'
import { createEmbeddedLimiter } from '../../server/adapters/embedded/limiter'
import { EmbeddedStore } from '../../server/adapters/embedded/store'
import { RedisCardQueue } from '../../server/adapters/redis/card-queue'
import { RedisStore } from '../../server/adapters/redis/store'
import { storeRules } from '../../server/domain/submission/store-rules'
import { connectRedis } from '../support/redis-client'
import { startRedis, type RedisServer } from '../support/redis-server'
import { cardQueueContract } from './card-queue'

const LIMIT = { limit: 1, windowS: 60 }

let redis: RedisServer
beforeAll(async () => { redis = await startRedis() })
afterAll(() => redis.stop())

cardQueueContract('embedded', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'queue-'))
  const queue = new EmbeddedCardQueue(Date.now)
  const store = new EmbeddedStore({ dir, ...storeRules, now: Date.now, queue, limiter: createEmbeddedLimiter(LIMIT) })
  return { queue, store, close: async () => {
    await store.close()
    await rm(dir, { recursive: true })
  } }
})

cardQueueContract('Redis', async () => {
  const client = await connectRedis(redis.url)
  await client.flushAll()
  return {
    queue: new RedisCardQueue(client), store: new RedisStore(client, { ...storeRules, limit: LIMIT }),
    close: async () => client.destroy(),
  }
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

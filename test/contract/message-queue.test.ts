import { afterAll, beforeAll } from 'vitest'
import { EmbeddedMessageQueue } from '../../server/adapters/embedded/message-queue'
import { RedisMessageQueue } from '../../server/adapters/redis/message-queue'
import { connectRedis } from '../support/redis-client'
import { startRedis, type RedisServer } from '../support/redis-server'
import { messageQueueContract } from './message-queue'

let redis: RedisServer
beforeAll(async () => { redis = await startRedis() })
afterAll(() => redis.stop())

messageQueueContract(
  'embedded', async limits => ({ queue: new EmbeddedMessageQueue(Date.now, limits), close: async () => {} }),
)

messageQueueContract('Redis', async (limits) => {
  const client = await connectRedis(redis.url)
  await client.flushAll()
  return { queue: new RedisMessageQueue(client, limits), close: async () => client.destroy() }
})

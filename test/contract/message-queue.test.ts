import { afterAll, beforeAll } from 'vitest'
import { EmbeddedMessageQueue } from '../../server/adapters/embedded/message-queue'
import { createRedis } from '../../server/adapters/redis/client'
import { RedisMessageQueue } from '../../server/adapters/redis/message-queue'
import { silentLog } from '../fakes/runtime'
import { startRedis, type RedisServer } from '../support/redis-server'
import { until } from '../support/until'
import { messageQueueContract } from './message-queue'

let redis: RedisServer
beforeAll(async () => { redis = await startRedis() })
afterAll(() => redis.stop())

messageQueueContract(
  'embedded', async limits => ({ queue: new EmbeddedMessageQueue(Date.now, limits), close: async () => {} }),
)

messageQueueContract('Redis', async (limits) => {
  const client = createRedis(redis.url, silentLog)
  await until('Redis', () => client.isReady)
  await client.flushAll()
  return { queue: new RedisMessageQueue(client, limits), close: async () => client.destroy() }
})

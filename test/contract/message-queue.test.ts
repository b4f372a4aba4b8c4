import { EmbeddedMessageQueue } from '../../server/adapters/embedded/message-queue'
import { RedisMessageQueue } from '../../server/adapters/redis/message-queue'
import { endAfterAll, endAfterTest } from '../support/lifetime'
import { connectRedis } from '../support/redis-client'
import { startRedis } from '../support/redis-server'
import { messageQueueContract } from './message-queue'

const redis = endAfterAll(await startRedis())

messageQueueContract('embedded', async limits => new EmbeddedMessageQueue(Date.now, limits))

messageQueueContract('Redis', async (limits) => {
  const client = endAfterTest(await connectRedis(redis.url))
  await client.flushAll()
  return new RedisMessageQueue(client, limits)
})

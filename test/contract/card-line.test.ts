import { afterAll, beforeAll } from 'vitest'
import { EmbeddedCardLine } from '../../server/adapters/embedded/line'
import { createRedis } from '../../server/adapters/redis/client'
import { RedisCardLine } from '../../server/adapters/redis/line'
import { silentLog } from '../fakes/runtime'
import { startRedis, type RedisServer } from '../support/redis-server'
import { until } from '../support/until'
import { cardLineContract } from './card-line'

let redis: RedisServer
beforeAll(async () => { redis = await startRedis() })
afterAll(() => redis.stop())

cardLineContract('embedded', async () => ({ line: new EmbeddedCardLine(Date.now), close: async () => {} }))

cardLineContract('Redis', async () => {
  const client = createRedis(redis.url, silentLog)
  await until('Redis', () => client.isReady)
  await client.flushAll()
  return { line: new RedisCardLine(client), close: async () => client.destroy() }
})

import { createRedis, type RedisClient } from '../../server/adapters/redis/connection/client'
import { silentLog } from '../fakes/runtime'
import { until } from './until'

/** Creates a client like the service's. Waits for the connection, so that the first call has its full time limit. */
export async function connectRedis(url: string, log = silentLog): Promise<RedisClient> {
  const client = createRedis(url, log)
  await until('Redis', () => client.isReady)
  return client
}

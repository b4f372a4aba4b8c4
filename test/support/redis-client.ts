import { createRedis, type RedisClient } from '../../server/adapters/redis/connection/client'
import { silentLog } from '../fakes/runtime'
import { until } from './until'

/** A client as the service has, once it is connected: its first call has the time that each later one has. */
export async function connectRedis(url: string, log = silentLog): Promise<RedisClient> {
  const client = createRedis(url, log)
  await until('Redis', () => client.isReady)
  return client
}

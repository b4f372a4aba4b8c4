import type { createClient } from 'redis'
import { TRACE } from '../../server/adapters/redis/scripts'
import type { Deployment } from './deployment'
import { until } from './until'

/** Resolves once the service has rehearsed a decision, with a Redis that was new. */
export async function rehearsalOver({ server }: Deployment, redis: ReturnType<typeof createClient>): Promise<void> {
  await until('the rehearsal', async () => (await redis.scriptExists(TRACE.sha))[0] === 1)
  await server.drain()
}

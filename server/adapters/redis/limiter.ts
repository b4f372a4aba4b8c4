import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'
import type { Limiter } from '../../ports/limiter'
import { createCalls } from './connection/calls'
import type { RedisClient } from './connection/client'

// Carries the hash tag of all our keys.
const PREFIX = '{triage}:rate'

/** Returns the key under which the library counts the acts of a client. */
export const countKey = (client: string) => `${PREFIX}:${client}`

/**
 * Counts in Redis, in one atomic script, over the process's one connection.
 *
 * @param options at most `limit` acts within `windowS` seconds
 */
export function createRedisLimiter(
  client: RedisClient, { limit, windowS }: { limit: number, windowS: number },
): Limiter {
  const counts = new RateLimiterRedis({
    storeClient: client, useRedisPackage: true, keyPrefix: PREFIX, points: limit, duration: windowS,
  })
  const { call } = createCalls(client)
  return {
    limit,
    // The library has no timeout of its own.
    take: (clientId, actCount) => call(() => counts.consume(clientId, actCount)).then(() => 0, (rejection: unknown) => {
      if (rejection instanceof RateLimiterRes) return Math.max(rejection.msBeforeNext, 1)
      throw rejection
    }),
  }
}

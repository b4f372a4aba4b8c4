import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import type { Limiter } from '../../ports/limiter'

/**
 * Counts in memory, for one process without Redis.
 *
 * @param options `limit` acts within `windowS` seconds
 */
export function createEmbeddedLimiter({ limit, windowS }: { limit: number, windowS: number }): Limiter {
  const counts = new RateLimiterMemory({ points: limit, duration: windowS })
  return {
    limit,
    take: (who, acts) => counts.consume(who, acts).then(() => 0, (refused: unknown) => {
      if (refused instanceof RateLimiterRes) return Math.max(refused.msBeforeNext, 1)
      throw refused
    }),
  }
}

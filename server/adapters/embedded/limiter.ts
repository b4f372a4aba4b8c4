import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { LimitReached, type Limiter } from '../../ports/limiter'

/**
 * Counts in memory, for one process without Redis.
 *
 * @param options at most `limit` acts within `windowS` seconds
 */
export function createEmbeddedLimiter({ limit, windowS }: { limit: number, windowS: number }): Limiter {
  const counts = new RateLimiterMemory({ points: limit, duration: windowS })
  return {
    limit,
    take: (clientId, actCount) => counts.consume(clientId, actCount).then(() => 0, (rejection: unknown) => {
      if (rejection instanceof RateLimiterRes) return Math.max(rejection.msBeforeNext, 1)
      throw rejection
    }),
  }
}

/** Counts one form of a client, or its bytes, if there is a limit. @throws LimitReached */
export async function take(
  limiter: Limiter | null | undefined, client: string | undefined, bytes?: number,
): Promise<void> {
  const waitMs = client === undefined ? 0 : await limiter?.take(client, bytes) ?? 0
  if (waitMs > 0) throw new LimitReached(waitMs, bytes === undefined ? undefined : limiter!.limit / 2 ** 20)
}

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
    take: (who, acts) => counts.consume(who, acts).then(() => 0, (refused: unknown) => {
      if (refused instanceof RateLimiterRes) return Math.max(refused.msBeforeNext, 1)
      throw refused
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

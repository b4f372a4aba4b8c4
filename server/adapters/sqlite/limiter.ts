import type { Limiter } from '../../ports/limiter'
import type { Database } from './database'

/** At most `limit` acts, or bytes, within `windowS` seconds. */
export interface Limit {
  limit: number
  windowS: number
}

export function createSqliteLimiter(db: Database, limit: Limit): Limiter {
  return { limit: limit.limit, take: (client, acts = 1) => db.write(() => take(db, limit, client, acts)) }
}

/** Counts acts within a `write`. Returns 0, or the time until the window ends, ms, if they are over the limit. */
export function take(db: Database, { limit, windowS }: Limit, client: string, acts: number): number {
  const now = db.now()
  const { count, until } = db.get<{ count: number, until: number }>(`
    INSERT INTO counts (client, count, until) VALUES (?1, ?2, ?3) ON CONFLICT (client) DO UPDATE SET
      count = CASE WHEN until <= ?4 THEN ?2 ELSE count + ?2 END, until = CASE WHEN until <= ?4 THEN ?3 ELSE until END
    RETURNING count, until`, client, acts, now + windowS * 1000, now)!
  return count > limit ? Math.max(until - now, 1) : 0
}

import type { RedisClientType as RedisClient } from 'redis'
import type { List } from '../../ports/store'

export const HOUR_MS = 60 * 60 * 1000

// One hash tag: in a cluster all keys live in one slot, so that one script may touch several.
export const LISTS: Record<List, string> = { pending: '{triage}:pending', held: '{triage}:held', spam: '{triage}:spam' }
export const DUE = '{triage}:due'
export const STUCK = '{triage}:stuck'
export const TAKEN = '{triage}:taken'
export const AUDIT = '{triage}:audit'
export const recordKey = (id: string) => `{triage}:s:${id}`
export const dataKey = (id: string) => `{triage}:d:${id}`
/** Edit forms that are open, by id. */
export const draftsKey = (id: string) => `{triage}:e:${id}`
export const tallyKey = (at: number) => `{triage}:tally:${Math.floor(at / HOUR_MS) * HOUR_MS}`
export const idempotencyKeyOf = (digest: string) => `{triage}:i:${digest}`

/**
 * Where every change is announced, by id. Redis announces in all of its databases alike, so each but the first has a
 * channel of its own: other deployments may use the others.
 */
export function changesChannel({ options: { database = 0 } }: Pick<RedisClient, 'options'>): string {
  return database === 0 ? '{triage}:changes' : `{triage}:changes:${database}`
}

import { hourOf } from '../../../../shared/lifetimes'
import type { RedisClientType as RedisClient } from 'redis'
import type { Index, List } from '../../../ports/store'

// One hash tag: in a cluster all keys are in one slot, so that one script may use several.
export const LISTS: Record<List, string> = { pending: '{triage}:pending', held: '{triage}:held', spam: '{triage}:spam' }
export const DUE = '{triage}:due'
export const INDEXES: Record<Index, string> = {
  stuck: '{triage}:stuck', taken: '{triage}:taken', retrying: '{triage}:retrying',
}
export const AUDIT = '{triage}:audit'
export const recordKey = (id: string) => `{triage}:s:${id}`
export const dataKey = (id: string) => `{triage}:d:${id}`
/** Open edit forms, by id. */
export const draftsKey = (id: string) => `{triage}:e:${id}`
export const tallyKey = (at: number) => `{triage}:tally:${hourOf(at)}`
export const idempotencyKeyOf = (digest: string) => `{triage}:i:${digest}`

/**
 * Returns the channel on which every change is announced, by id. Redis delivers announcements across all its databases,
 * and other deployments may use other databases. So each database but the first has a channel of its own.
 */
export function changesChannel({ options: { database = 0 } }: Pick<RedisClient, 'options'>): string {
  return database === 0 ? '{triage}:changes' : `{triage}:changes:${database}`
}

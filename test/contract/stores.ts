import { RedisStore } from '../../server/adapters/redis/store/store'
import { SqliteStore } from '../../server/adapters/sqlite/store'
import { storeRules } from '../../server/domain/lifecycle/record'
import { endAfterAll, endAfterTest } from '../support/lifetime'
import { connectRedis } from '../support/redis-client'
import { startRedis } from '../support/redis-server'
import { fileDatabase } from '../support/sqlite'

/** Tolerance, ms: the clocks of two processes differ by up to a millisecond, and so do `Date` and timers. */
export const ROUNDED_MS = 2

/** Separate Redis for the tests of one file */
export const ownRedis = async () => endAfterAll(await startRedis())

/** Client of the Redis at `url`, closed when the test ends */
export const clientOf = async (url: string) => endAfterTest(await connectRedis(url))

/** Same as `clientOf`, but empties the Redis first */
export async function emptied(url: string) {
  const client = await clientOf(url)
  await client.flushAll()
  return client
}

/** Empty store in the Redis at `url`, closed when the test ends, and its client. */
export async function redisStore(url: string, options: Partial<ConstructorParameters<typeof RedisStore>[1]> = {}) {
  const client = await connectRedis(url)
  const store = endAfterTest(new RedisStore(client, { ...storeRules, ...options }))
  await store.check()
  await client.flushAll()
  return { client, store }
}

/** Store in a SQLite file, a new one by default, closed when the test ends; and the file. */
export function sqliteStore(options: Partial<ConstructorParameters<typeof SqliteStore>[1]> = {}, db = fileDatabase()) {
  return { db, store: new SqliteStore(db, { ...storeRules, ...options }) }
}

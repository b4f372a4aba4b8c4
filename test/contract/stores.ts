import { EmbeddedStore } from '../../server/adapters/embedded/store'
import { RedisStore } from '../../server/adapters/redis/store/store'
import { storeRules } from '../../server/domain/lifecycle/record'
import { endAfterAll, endAfterTest, testFolder } from '../support/lifetime'
import { connectRedis } from '../support/redis-client'
import { startRedis } from '../support/redis-server'

/** Tolerance, ms: the clocks of two processes differ by up to a millisecond, and so do `Date` and timers. */
export const ROUNDED_MS = 2

/** Redis of its own for the tests of a file */
export const ownRedis = async () => endAfterAll(await startRedis())

/** Client of this Redis until the test ends */
export const clientOf = async (url: string) => endAfterTest(await connectRedis(url))

/** The same, of a Redis that is emptied first */
export async function emptied(url: string) {
  const client = await clientOf(url)
  await client.flushAll()
  return client
}

/** Empty store in this Redis until the test ends, and its client. */
export async function redisStore(url: string, options: Partial<ConstructorParameters<typeof RedisStore>[1]> = {}) {
  const client = await connectRedis(url)
  const store = endAfterTest(new RedisStore(client, { ...storeRules, ...options }))
  await store.check()
  await client.flushAll()
  return { client, store }
}

/** Empty store until the test ends, and its folder. */
export function embeddedStore(options: Partial<ConstructorParameters<typeof EmbeddedStore>[0]> = {}) {
  const dir = testFolder()
  return { dir, store: endAfterTest(new EmbeddedStore({ dir, ...storeRules, now: Date.now, ...options })) }
}

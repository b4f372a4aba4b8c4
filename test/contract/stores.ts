import { EmbeddedStore } from '../../server/adapters/embedded/store'
import { RedisStore } from '../../server/adapters/redis/store/store'
import { storeRules } from '../../server/domain/lifecycle/record'
import { endAfterTest, testFolder } from '../support/lifetime'
import { connectRedis } from '../support/redis-client'

/** Tolerance, ms: the clocks of two processes differ by up to a millisecond, and so do `Date` and timers. */
export const ROUNDED_MS = 2

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

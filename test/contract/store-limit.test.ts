import { expect, test } from 'vitest'
import { createEmbeddedLimiter } from '../../server/adapters/embedded/limiter'
import { createRedisLimiter } from '../../server/adapters/redis/limiter'
import { endAfterAll } from '../support/lifetime'
import { startRedis } from '../support/redis-server'
import { storeLimitContract } from './store-limit'
import { embeddedStore, redisStore } from './stores'
import { submission } from '../fixtures/submissions'

const server = endAfterAll(await startRedis())

async function openRedis(limit: number) {
  const options = { limit, windowS: 60 }
  const { client, store } = await redisStore(server.url, { limit: options, limitMb: { limit: 1, windowS: 3600 } })
  return { client, store, limiter: createRedisLimiter(client, options) }
}

storeLimitContract('Redis', openRedis)

storeLimitContract('Embedded', async (limit) => {
  const limiter = createEmbeddedLimiter({ limit, windowS: 60 })
  const byteLimiter = createEmbeddedLimiter({ limit: 2 ** 20, windowS: 3600 })
  return { limiter, ...embeddedStore({ limiter, byteLimiter }) }
})

test('a counted creation is one command, and its count is gone with the window', async () => {
  const { client, store } = await openRedis(2)
  await store.create(submission(), { client: 'warm' })
  await client.flushAll()
  await client.configResetStat()
  const before = Date.now()
  await store.create(submission(), { client: '2001:db8:1:2::/64', sender: '2001:db8:1:2::/64' })
  const after = Date.now()
  const sent = [
    ...(await client.info('commandstats')).matchAll(/cmdstat_(eval|evalsha|multi):calls=(\d+)/g),
  ].map(([, name, calls]) => [name, calls])
  expect(sent).toEqual([['evalsha', '1']])
  const gone = await client.pExpireTime('{triage}:rate:2001:db8:1:2::/64')
  expect(gone).toBeGreaterThanOrEqual(before + 60_000)
  expect(gone).toBeLessThanOrEqual(after + 60_000)
})

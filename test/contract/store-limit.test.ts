import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createEmbeddedLimiter } from '../../server/adapters/embedded/limiter'
import { EmbeddedStore } from '../../server/adapters/embedded/store'
import { createRedisLimiter } from '../../server/adapters/redis/limiter'
import { RedisStore } from '../../server/adapters/redis/store'
import { storeRules } from '../../server/domain/submission/store-rules'
import { connectRedis } from '../support/redis-client'
import { startRedis, type RedisServer } from '../support/redis-server'
import { storeLimitContract } from './store-limit'
import { submission } from '../fixtures/submissions'

let server: RedisServer

beforeAll(async () => { server = await startRedis() })
afterAll(() => server.stop())

async function openRedis(limit: number) {
  const client = await connectRedis(server.url)
  const options = { limit, windowS: 60 }
  const store = new RedisStore(client, { ...storeRules, limit: options, limitMb: { limit: 1, windowS: 3600 } })
  await store.check()
  await client.flushAll()
  return { client, store, limiter: createRedisLimiter(client, options), close: () => store.close() }
}

storeLimitContract('Redis', openRedis)

storeLimitContract('Embedded', async (limit) => {
  const dir = await mkdtemp(join(tmpdir(), 'limit-'))
  const limiter = createEmbeddedLimiter({ limit, windowS: 60 })
  const store = new EmbeddedStore({
    dir, ...storeRules, now: Date.now, limiter, byteLimiter: createEmbeddedLimiter({ limit: 2 ** 20, windowS: 3600 }),
  })
  return {
    store, limiter,
    close: async () => {
      await store.close()
      await rm(dir, { recursive: true })
    },
  }
})

test('a counted creation is one command, and its count is gone with the window', async () => {
  const { client, store, close } = await openRedis(2)
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
  await close()
})

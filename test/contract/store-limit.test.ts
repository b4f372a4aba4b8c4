import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createEmbeddedLimiter } from '../../server/adapters/embedded/limiter'
import { EmbeddedStore } from '../../server/adapters/embedded/store'
import { createRedis } from '../../server/adapters/redis/client'
import { createRedisLimiter } from '../../server/adapters/redis/limiter'
import { RedisStore } from '../../server/adapters/redis/store'
import { storeRules } from '../../server/domain/submission/store-rules'
import { silentLog } from '../fakes/runtime'
import { startRedis, type RedisServer } from '../support/redis-server'
import { storeLimitContract } from './store-limit'
import { submission } from '../fixtures/submissions'

let server: RedisServer

beforeAll(async () => { server = await startRedis() })
afterAll(() => server.stop())

async function openRedis(limit: number) {
  const client = createRedis(server.url, silentLog)
  const options = { limit, windowS: 60 }
  const store = new RedisStore(client, { ...storeRules, limit: options })
  await store.check()
  await client.flushAll()
  return { client, store, limiter: createRedisLimiter(client, options), close: () => store.close() }
}

storeLimitContract('Redis', openRedis)

storeLimitContract('Embedded', async (limit) => {
  const dir = await mkdtemp(join(tmpdir(), 'limit-'))
  const limiter = createEmbeddedLimiter({ limit, windowS: 60 })
  const store = new EmbeddedStore({ dir, ...storeRules, now: Date.now, limiter })
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
  await store.create(submission(), { client: '2001:db8:1:2::/64' })
  const sent = [
    ...(await client.info('commandstats')).matchAll(/cmdstat_(eval|evalsha|multi):calls=(\d+)/g),
  ].map(([, name, calls]) => [name, calls])
  expect(sent).toEqual([['evalsha', '1']])
  const left = await client.pTTL('{triage}:rate:2001:db8:1:2::/64')
  expect(left).toBeGreaterThan(50_000)
  expect(left).toBeLessThanOrEqual(60_000)
  await close()
})

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { EmbeddedStore } from '../../server/adapters/embedded/store'
import { RedisStore } from '../../server/adapters/redis/store'
import { storeRules } from '../../server/domain/submission/store-rules'
import { connectRedis } from '../support/redis-client'
import { startRedis, type RedisServer } from '../support/redis-server'
import { storeOverviewContract } from './store-overview'

let server: RedisServer

beforeAll(async () => {
  server = await startRedis()
})
afterAll(() => server.stop())

storeOverviewContract('Redis', async () => {
  const client = await connectRedis(server.url)
  const store = new RedisStore(client, storeRules)
  await store.check()
  await client.flushAll()
  return { store, close: () => store.close() }
})

storeOverviewContract('Embedded', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'overview-'))
  const store = new EmbeddedStore({ dir, ...storeRules, now: Date.now })
  return {
    store,
    async close() {
      await store.close()
      await rm(dir, { recursive: true })
    },
  }
})

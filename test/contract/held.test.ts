import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { EmbeddedStore } from '../../server/adapters/embedded/store'
import { RedisStore } from '../../server/adapters/redis/store'
import { storeRules } from '../../server/domain/submission/store-rules'
import { connectRedis } from '../support/redis-client'
import { startRedis, type RedisServer } from '../support/redis-server'
import { heldContract } from './held'
import { submission } from '../fixtures/submissions'

let server: RedisServer
beforeAll(async () => { server = await startRedis() })
afterAll(() => server.stop())

async function openRedis(heldMax = 3) {
  const client = await connectRedis(server.url)
  const store = new RedisStore(client, { ...storeRules, heldMax })
  await store.check()
  await client.flushAll()
  const indexes = ['{triage}:pending', '{triage}:held', '{triage}:due']
  return {
    store,
    traces: async (id: string) => [
      ...(await client.keys('*')).filter(key => key.includes(id)),
      ...(await Promise.all(indexes.map(async key => await client.zScore(key, id) === null ? [] : [key]))).flat(),
    ],
    close: () => store.close(),
  }
}

async function openEmbedded(heldMax = 3) {
  const dir = await mkdtemp(join(tmpdir(), 'held-'))
  const store = new EmbeddedStore({ dir, ...storeRules, heldMax, now: Date.now })
  return {
    store,
    traces: async (id: string) => (await readdir(dir, { recursive: true })).filter(file => file.includes(id)
      && !file.startsWith('audit')),
    close: async () => {
      await store.close()
      await rm(dir, { recursive: true })
    },
  }
}

heldContract('Redis', openRedis)
heldContract('Embedded', openEmbedded)

test.each(
  [['Redis', openRedis], ['Embedded', openEmbedded]] as const,
)('%s keeps none when none are to be kept', async (_, open) => {
  const { store, traces, close } = await open(0)
  const one = submission({ state: 'held', work: [] })
  expect((await store.create(one)).id).toBe(one.id)
  expect(await traces(one.id)).toEqual([])
  await close()
})

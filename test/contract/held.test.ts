import { readdir } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { submission } from '../fixtures/submissions'
import { endAfterAll } from '../support/lifetime'
import { startRedis } from '../support/redis-server'
import { heldContract } from './held'
import { embeddedStore, redisStore } from './stores'

const server = endAfterAll(await startRedis())

async function openRedis(heldMax = 3) {
  const { client, store } = await redisStore(server.url, { heldMax })
  const indexes = ['{triage}:pending', '{triage}:held', '{triage}:due']
  return { store, traces: async (id: string) => [
    ...(await client.keys('*')).filter(key => key.includes(id)),
    ...(await Promise.all(indexes.map(async key => await client.zScore(key, id) === null ? [] : [key]))).flat(),
  ] }
}

async function openEmbedded(heldMax = 3) {
  const { dir, store } = embeddedStore({ heldMax })
  return { store, traces: async (id: string) => (
    (await readdir(dir, { recursive: true })).filter(file => file.includes(id) && !file.startsWith('audit'))
  ) }
}

heldContract('Redis', openRedis)
heldContract('Embedded', openEmbedded)

test.each(
  [['Redis', openRedis], ['Embedded', openEmbedded]] as const,
)('%s keeps none when none are to be kept', async (_, open) => {
  const { store, traces } = await open(0)
  const one = submission({ state: 'held', work: [] })
  expect((await store.create(one)).id).toBe(one.id)
  expect(await traces(one.id)).toEqual([])
})

import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { over, submission } from '../fixtures/submissions'
import { endAfterAll } from '../support/lifetime'
import { startRedis } from '../support/redis-server'
import { embeddedStore, redisStore } from './stores'
import { traceContract, UPDATE } from './traces'

const DAY_MS = 24 * 60 * 60 * 1000

const server = endAfterAll(await startRedis())

async function openRedis() {
  const { client, store } = await redisStore(server.url)
  const textOf = async (key: string) => await client.type(key) === 'hash'
    ? JSON.stringify(await client.hGetAll(key))
    : await client.get(key)
  return { store, client, text: async (id: string) => {
    const keys = (await client.keys('*')).filter(key => key.includes(id))
    return (await Promise.all(keys.map(textOf))).join()
  } }
}

async function openEmbedded() {
  const { dir, store } = embeddedStore()
  return { store, text: async (id: string) => {
    const files = (await readdir(dir, { recursive: true })).filter(file => file.includes(id))
    return (await Promise.all(files.map(file => readFile(join(dir, file), 'utf8')))).join()
  } }
}

traceContract('Redis', openRedis)
traceContract('Embedded', openEmbedded)

test('a trace is one key of at most 600 bytes for a week, with two cards, two deliveries and a receipt', async () => {
  const redis = await openRedis()
  const created = submission({ form: 'applications', cards: [
    { platform: 'slack', threadId: 'slack:C0123456789:1763712000.123456', messageId: '1763712000.123456' },
    {
      platform: 'discord', threadId: 'discord:1234567890123456789:1234567890123456789',
      messageId: '1234567890123456789',
    },
  ], sent: [
    {
      delivery: 'email', content: 'x', to: ['applications@example.com'], at: Date.now(),
      messageId: '49a3999c-0ce1-4ea6-ab68-afcd6dc2e794',
      receipt: { verdict: 'bounced', reason: 'mailbox does not exist' },
    }, { delivery: 'endpoint', content: 'x', to: ['hooks.example.com'], at: Date.now() },
  ], delivered: ['email', 'endpoint'] })
  await redis.store.create(created)
  await redis.store.replace(created, over(created, { look: 3 }))
  const key = `{triage}:t:${created.id}`
  expect((await redis.client.keys('*')).filter(each => each.includes(created.id))).toEqual([key])
  expect(await redis.client.memoryUsage(key)).toBeLessThanOrEqual(600)
  const left = await redis.client.pTTL(key)
  expect(left).toBeGreaterThan(7 * DAY_MS - 60_000)
  expect(left).toBeLessThanOrEqual(7 * DAY_MS)
  const trace = (await redis.store.get(created.id))!
  await redis.store.replace(trace, { ...trace, version: 3, work: [UPDATE] })
  const again = `{triage}:s:${created.id}`
  expect((await redis.client.keys('*')).filter(each => each.includes(created.id))).toEqual([again])
  expect(await redis.client.pTTL(again)).toBeGreaterThan(0)
})

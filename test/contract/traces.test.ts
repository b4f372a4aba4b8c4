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

test('a trace is one key of at most 1.3 KB for a week, with two cards, two deliveries and a receipt', async () => {
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
  const key = `{triage}:s:${created.id}`
  expect((await redis.client.keys('*')).filter(each => each.includes(created.id))).toEqual([key])
  expect(await redis.client.memoryUsage(key)).toBeLessThanOrEqual(1300)
  const left = await redis.client.pTTL(key)
  expect(left).toBeGreaterThan(7 * DAY_MS - 60_000)
  expect(left).toBeLessThanOrEqual(7 * DAY_MS)
  const trace = (await redis.store.get(created.id))!
  await redis.store.replace(trace, { ...trace, version: 3, work: [UPDATE] })
  expect((await redis.client.keys('*')).filter(each => each.includes(created.id))).toEqual([key])
  expect(await redis.client.pTTL(key)).toBeGreaterThan(left - 60_000)
})

test('a trace of an earlier version is read, and is a record from then on, for as long as it was to be kept', async () => {
  const { client, store } = await openRedis()
  const { id, receivedAt } = submission()
  const list = [
    7, 'settled', 'jobs', 3, receivedAt, 604_800_000, [['slack:C1:1.2', 0, 0], ['discord:1:2', 0, 'x', 1]],
    ['forward', null, 5000, 'U1', 'Ada', 'Slack'], null, ['email'],
    [['email', ['team@example.com'], 6000, 'm1', 'bounced', 'no such box']], 9000, 'press',
  ]
  await client.set(`{triage}:t:${id}`, JSON.stringify(list), { PX: DAY_MS })
  const trace = (await store.get(id))!
  expect(trace).toMatchObject({
    id, version: 7, state: 'settled', form: 'jobs', look: 3, receivedAt, expiresAt: receivedAt + 604_800_000,
    data: null,
    cards: [
      { platform: 'slack', threadId: 'slack:C1:1.2', messageId: '1.2' },
      { platform: 'discord', threadId: 'discord:1:2', messageId: 'x', isGivenUp: true },
    ],
    decision: { action: 'forward', at: receivedAt + 5000, reviewer: { id: 'U1', name: 'Ada', platform: 'Slack' } },
    delivered: ['email'], collapse: { at: receivedAt + 9000, begun: true }, pressed: 'press',
    sent: [{
      delivery: 'email', to: ['team@example.com'], at: receivedAt + 6000, messageId: 'm1',
      receipt: { verdict: 'bounced', reason: 'no such box' },
    }],
  })
  expect(await client.keys(`*${id}`)).toEqual([`{triage}:s:${id}`])
  expect(await client.pTTL(`{triage}:s:${id}`)).toBeLessThanOrEqual(DAY_MS)
  expect(await store.get(id)).toEqual(trace)
  expect(await store.replace(trace, { ...trace, version: 8, work: [UPDATE] })).not.toBeNull()
  await client.set('{triage}:t:spoilt', '[2,"settled')
  expect(await store.get('spoilt')).toBeNull()
})

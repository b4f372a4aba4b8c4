import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { EmbeddedStore } from '../../server/adapters/embedded/store'
import { RedisStore } from '../../server/adapters/redis/store'
import { storeRules } from '../../server/domain/submission/store-rules'
import { endAfterAll, endAfterTest, testFolder } from '../support/lifetime'
import { connectRedis } from '../support/redis-client'
import { startRedis } from '../support/redis-server'
import { idempotencyContract, keyOf } from './idempotency'
import { embeddedStore, redisStore } from './stores'
import { submission } from '../fixtures/submissions'

const DAY_MS = 24 * 60 * 60 * 1000

const server = endAfterAll(await startRedis())

async function openRedis() {
  const { client, store } = await redisStore(server.url)
  const other = endAfterTest(new RedisStore(await connectRedis(server.url), storeRules))
  return { client, store, other }
}

idempotencyContract('Redis', openRedis)

idempotencyContract('Embedded', async () => {
  const { store } = embeddedStore()
  return { store, other: store }
})

describe('Redis store, idempotency keys in Redis', () => {
  test('a creation with a key is still one round trip; the key is held for 24 h and names no form data', async () => {
    const { client, store } = await openRedis()
    await store.create(submission(), { idempotencyKey: keyOf() })
    await client.flushAll()
    await client.configResetStat()
    const [created, key] = [submission({ data: { secret: 'only-here' } }), keyOf('key')]
    const before = Date.now()
    await store.create(created, { idempotencyKey: key })
    const after = Date.now()
    const stats = await client.info('commandstats')
    expect(stats).toContain('cmdstat_evalsha:calls=1,')
    expect(stats).not.toContain('cmdstat_eval:')
    expect(await client.get(`{triage}:i:${key}`)).toBe(created.id)
    const gone = await client.pExpireTime(`{triage}:i:${key}`)
    expect(gone).toBeGreaterThanOrEqual(before + DAY_MS)
    expect(gone).toBeLessThanOrEqual(after + DAY_MS)
  })
})

describe('Embedded store, idempotency keys on disk', () => {
  let dir: string
  let now: number
  const open = () => new EmbeddedStore({ dir, ...storeRules, now: () => now })

  beforeEach(async () => {
    dir = testFolder()
    now = Date.now()
  })

  test('a restart keeps the keys', async () => {
    const [first, key] = [submission(), keyOf()]
    await open().create(first, { idempotencyKey: key })
    expect((await open().create(submission(), { idempotencyKey: key })).id).toBe(first.id)
  })

  test('a key is held for 24 h and no longer, and leaves nothing behind', async () => {
    const store = open()
    const [first, second, key] = [submission(), submission(), keyOf()]
    await store.create(first, { idempotencyKey: key })
    now += DAY_MS - 1
    expect((await store.create(second, { idempotencyKey: key })).id).toBe(first.id)
    now += 1
    expect((await store.create(second, { idempotencyKey: keyOf() })).id).toBe(second.id)
    expect(await readdir(join(dir, 'idempotency'))).toHaveLength(1)
    const third = submission()
    expect((await store.create(third, { idempotencyKey: key })).id).toBe(third.id)
  })

  test('a form whose key cannot be written is not stored: sent again it would be a second one', async () => {
    const [store, key] = [open(), keyOf()]
    await store.check()
    await mkdir(join(dir, 'unfinished', `idempotency-${key}`), { recursive: true })
    await expect(store.create(submission(), { idempotencyKey: key })).rejects.toThrow('EISDIR')
    expect((await store.listPending({ limit: 1 })).total).toBe(0)
  })

  test('a kill between key and submission loses the key, not the form that is sent again', async () => {
    const [lost, again, key] = [submission(), submission(), keyOf()]
    await open().create(lost, { idempotencyKey: key })
    await rm(join(dir, 'submission', lost.id))
    expect((await open().create(again, { idempotencyKey: key })).id).toBe(again.id)
  })
})

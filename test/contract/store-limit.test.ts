import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { createRedisLimiter } from '../../server/adapters/redis/limiter'
import { createSqliteLimiter } from '../../server/adapters/sqlite/limiter'
import type { Limiter, LimitReached } from '../../server/ports/limiter'
import type { SubmissionStore } from '../../server/ports/store'
import { keyOf, submission } from '../fixtures/submissions'
import { ROUNDED_MS, ownRedis, redisStore, sqliteStore } from './stores'

const server = await ownRedis()

/** Store that lets each client create `limit` submissions a minute, and a limiter that shares its counts. */
async function openRedis(limit: number) {
  const options = { limit, windowS: 60 }
  const { client, store } = await redisStore(server.url, { limit: options, limitMb: { limit: 1, windowS: 3600 } })
  return { client, store, limiter: createRedisLimiter(client, options) }
}

async function openSqlite(limit: number) {
  const options = { limit, windowS: 60 }
  const { db, store } = sqliteStore({ limit: options, limitMb: { limit: 1, windowS: 3600 } })
  return { store, limiter: createSqliteLimiter(db, options) }
}

/** Contract of `create` with a client, for every `SubmissionStore`. */
describe.each([
  ['Redis', openRedis], ['SQLite', openSqlite],
] as const)('%s store, the limit of a client', (_, open) => {
  const LIMIT = 3
  let store: SubmissionStore
  let limiter: Limiter
  let client: string

  beforeEach(async () => {
    ({ store, limiter } = await open(LIMIT))
    client = `2001:db8:1:2::/64 ${randomUUID()}`
  })

  const create = async (options: { idempotencyKey?: string } = {}) => (
    (await store.create(submission(), { client, ...options })).id
  )
  const total = async () => (await store.listPending({ limit: 10 })).total

  test('of fifty at once exactly the limit is stored; the others learn how long to wait', async () => {
    const started = Date.now()
    const results = await Promise.allSettled(Array.from({ length: 50 }, () => create()))
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(LIMIT)
    const waits = results.flatMap(result => result.status === 'rejected'
      ? [(result.reason as { waitMs: number }).waitMs]
      : [])
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(60_000 - (Date.now() - started) - ROUNDED_MS)
    expect(Math.max(...waits)).toBeLessThanOrEqual(60_000)
    expect(await total()).toBe(LIMIT)
  })

  test('what is stored and what is not share one count, whichever came first', async () => {
    const started = Date.now()
    expect(await limiter.take(client)).toBe(0)
    await create()
    expect(await limiter.take(client)).toBe(0)
    await expect(create()).rejects.toThrow('limit is reached')
    expect(await limiter.take(client)).toBeGreaterThanOrEqual(60_000 - (Date.now() - started) - ROUNDED_MS)
  })

  test('a repeated form counts, and over the limit its key is not answered', async () => {
    const key = { idempotencyKey: keyOf() }
    expect(new Set([await create(key), await create(key), await create(key)]).size).toBe(1)
    await expect(create(key)).rejects.toThrow('limit is reached')
  })

  test('a refused form holds no key', async () => {
    const key = { idempotencyKey: keyOf() }
    for (let sent = 0; sent < LIMIT; sent++) await create()
    await expect(create(key)).rejects.toThrow('limit is reached')
    const next = submission()
    expect((await store.create(next, key)).id).toBe(next.id)
  })

  test('bytes are counted for the sender, once for a form that is sent again, and end with the limit in MB', async () => {
    const large = () => submission({ data: { text: 'x'.repeat(300_000) } })
    const options = { sender: client, idempotencyKey: keyOf() }
    for (let sent = 0; sent < 5; sent++) await store.create(large(), options)
    for (let sent = 0; sent < 2; sent++) await store.create(large(), { sender: client })
    const refused = await store.create(large(), { sender: client }).catch((error: LimitReached) => error)
    expect(refused).toMatchObject({ megabytes: 1 })
    expect((refused as LimitReached).waitMs).toBeLessThanOrEqual(3_600_000)
    expect((refused as LimitReached).waitMs).toBeGreaterThan(3_500_000)
    await store.create(large(), { sender: `${client}0` })
    expect(await total()).toBe(4)
  })

  test('without a client, and for another one, nothing is counted', async () => {
    for (let sent = 0; sent < LIMIT; sent++) await create()
    await store.create(submission())
    await store.create(submission(), { client: `${client}0` })
    expect(await total()).toBe(LIMIT + 2)
  })
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

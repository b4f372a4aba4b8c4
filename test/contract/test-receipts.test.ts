import { expect, test } from 'vitest'
import { createRedisStorage } from '../../server/adapters/redis/storage'
import { createSqliteStorage } from '../../server/adapters/sqlite/storage'
import { createTestReceipts } from '../../server/adapters/storage/test-receipts'
import type { TestReceipts } from '../../server/ports/delivery'
import { endAfterAll } from '../support/lifetime'
import { connectRedis } from '../support/redis-client'
import { memoryDatabase } from '../support/sqlite'
import { ownRedis } from './stores'

const server = await ownRedis()
const client = endAfterAll(await connectRedis(server.url))

const MAKERS: [string, () => TestReceipts][] = [
  ['SQLite', () => createTestReceipts(createSqliteStorage(memoryDatabase()))],
  ['Redis', () => createTestReceipts(createRedisStorage(client))],
]

test.each(MAKERS)('%s: of each test email the latest receipt is remembered, and of others nothing', async (_, make) => {
  const receipts = make()
  await receipts.keep('one', { verdict: 'delivered' })
  await receipts.keep('two', { verdict: 'delivered' })
  await receipts.keep('two', { verdict: 'bounced', reason: 'mailbox does not exist' })
  expect([await receipts.of('one'), await receipts.of('two'), await receipts.of('three')]).toEqual([
    { verdict: 'delivered' }, { verdict: 'bounced', reason: 'mailbox does not exist' }, null,
  ])
})

test('a receipt is forgotten within an hour', async () => {
  let now = 0
  const db = memoryDatabase(() => now)
  const receipts = createTestReceipts(createSqliteStorage(db))
  await receipts.keep('one', { verdict: 'delivered' })
  now = 3_599_999
  expect(await receipts.of('one')).toEqual({ verdict: 'delivered' })
  now++
  expect(await receipts.of('one')).toBeNull()
  await db.tidy()
  expect(db.all('SELECT * FROM pairs')).toEqual([])
})

test('Redis forgets within an hour', async () => {
  await createTestReceipts(createRedisStorage(client)).keep('one', { verdict: 'delivered' })
  const ttl = await client.ttl('{triage}:test-email:one')
  expect(ttl).toBeGreaterThan(0)
  expect(ttl).toBeLessThanOrEqual(3600)
})

test.each(MAKERS)('%s: people may ask for any id', async (_, make) => {
  const receipts = make()
  for (const id of ['', '.', '..', 'a/../b', 'a?b', '__proto__', '\uD83E']) {
    expect(await receipts.of(id)).toBeNull()
    await receipts.keep(id, { verdict: 'bounced', reason: id })
    expect(await receipts.of(id)).toEqual({ verdict: 'bounced', reason: id })
  }
})

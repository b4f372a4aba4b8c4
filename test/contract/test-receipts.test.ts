import { expect, test } from 'vitest'
import { createRedisStorage } from '../../server/adapters/redis/storage'
import { createSqliteStorage } from '../../server/adapters/sqlite/storage'
import { createTestReceipts } from '../../server/adapters/storage/test-receipts'
import type { TestReceipts } from '../../server/ports/delivery'
import { endAfterAll } from '../support/lifetime'
import { connectRedis } from '../support/redis-client'
import { memoryDatabase } from '../support/sqlite'
import { until } from '../support/until'
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

test('what has ended in Redis is not read, and removed by the next value that has an end', async () => {
  const storage = createRedisStorage(client)
  await storage.setItem('old', 1, { ttl: 0.001 })
  await storage.setItem('kept', { a: 'b c' })
  await until('its end', async () => await storage.getItem('old') === null)
  await storage.setItem('new', 2, { ttl: 60 })
  expect((await client.hKeys('{triage}:small')).filter(key => ['old', 'kept', 'new'].includes(key)).sort())
    .toEqual(['kept', 'new'])
  expect(await storage.getItem('kept')).toEqual({ a: 'b c' })
})

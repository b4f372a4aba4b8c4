import { afterAll, beforeAll, expect, test } from 'vitest'
import { createEmbeddedTestReceipts } from '../../server/adapters/embedded/test-receipts'
import type { RedisClient } from '../../server/adapters/redis/client'
import { createRedisTestReceipts } from '../../server/adapters/redis/test-receipts'
import type { TestReceipts } from '../../server/ports/receipts'
import { connectRedis } from '../support/redis-client'
import { startRedis, type RedisServer } from '../support/redis-server'

let server: RedisServer
let client: RedisClient
beforeAll(async () => {
  server = await startRedis()
  client = await connectRedis(server.url)
})
afterAll(async () => {
  client.destroy()
  await server.stop()
})

const MAKERS: [string, () => TestReceipts][] = [
  ['Embedded', createEmbeddedTestReceipts], ['Redis', () => createRedisTestReceipts(client)],
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

test('Redis forgets within an hour', async () => {
  await createRedisTestReceipts(client).keep('one', { verdict: 'delivered' })
  const ttl = await client.ttl('{triage}:test-email:one')
  expect(ttl).toBeGreaterThan(0)
  expect(ttl).toBeLessThanOrEqual(3600)
})

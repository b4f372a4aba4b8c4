import { expect, test } from 'vitest'
import { createEmbeddedTestReceipts } from '../../server/adapters/embedded/test-receipts'
import { createRedisTestReceipts } from '../../server/adapters/redis/test-receipts'
import type { TestReceipts } from '../../server/ports/delivery'
import { endAfterAll } from '../support/lifetime'
import { connectRedis } from '../support/redis-client'
import { ownRedis } from './stores'

const server = await ownRedis()
const client = endAfterAll(await connectRedis(server.url))

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

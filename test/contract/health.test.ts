import { expect, test } from 'vitest'
import { createEmbeddedHealthBook } from '../../server/adapters/embedded/health'
import { createRedisHealthBook } from '../../server/adapters/redis/health'
import { endAfterAll, endAfterTest } from '../support/lifetime'
import { connectRedis } from '../support/redis-client'
import { startRedis } from '../support/redis-server'
import { until } from '../support/until'
import { healthBookContract } from './health'

const server = endAfterAll(await startRedis())

async function open() {
  const client = endAfterTest(await connectRedis(server.url))
  await client.flushAll()
  return { client, book: createRedisHealthBook(client) }
}

healthBookContract('Redis', open)
healthBookContract('Embedded', async () => ({ book: createEmbeddedHealthBook() }))

test('a part that works all the time costs Redis one write in ten seconds', async () => {
  const { client, book } = await open()
  await client.configResetStat()
  for (let at = 0; at < 30_000; at += 100) book.note('slack', at)
  await until('the last write', async () => (await book.read()).slack?.lastSuccessAt === 20_000)
  const [, calls] = /cmdstat_hset:calls=(\d+)/.exec(await client.info('commandstats')) ?? []
  expect(Number(calls)).toBe(3)
})

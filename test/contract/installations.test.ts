import { expect, test } from 'vitest'
import { EmbeddedInstallations } from '../../server/adapters/embedded/installations'
import { createRedisInstallations } from '../../server/adapters/redis/installations'
import { endAfterAll, endAfterTest, testFolder } from '../support/lifetime'
import { connectRedis } from '../support/redis-client'
import { startRedis } from '../support/redis-server'
import { installationsContract } from './installations'

const server = endAfterAll(await startRedis())

installationsContract('Redis', async () => {
  const connected = async () => endAfterTest(await connectRedis(server.url))
  const [one, other] = [await connected(), await connected()]
  await one.flushAll()
  return { one: createRedisInstallations(one), other: createRedisInstallations(other) }
})

installationsContract('Embedded', async () => {
  const store = new EmbeddedInstallations(testFolder())
  return { one: store, other: store }
})

test('embedded installations survive a restart', async () => {
  const folder = testFolder()
  const [kept, gone] = [{ channel: '19:a', within: '19:b' }, { channel: '19:c', within: '19:d' }]
  const before = new EmbeddedInstallations(folder)
  await before.learn('teams:1', kept)
  await before.learn('teams:2', gone)
  await before.forget('teams:2', gone.within)
  const after = new EmbeddedInstallations(folder)
  expect(await after.find('teams:1')).toEqual(kept)
  expect(await after.find('teams:2')).toBeNull()
})

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { EmbeddedInstallations } from '../../server/adapters/embedded/installations'
import { createRedisInstallations } from '../../server/adapters/redis/installations'
import { connectRedis } from '../support/redis-client'
import { startRedis, type RedisServer } from '../support/redis-server'
import { installationsContract } from './installations'

let server: RedisServer
let dir: string
beforeAll(async () => {
  [server, dir] = await Promise.all([startRedis(), mkdtemp(join(tmpdir(), 'installations-'))])
})
afterAll(() => Promise.all([server.stop(), rm(dir, { recursive: true })]))

installationsContract('Redis', async () => {
  const clients = await Promise.all([connectRedis(server.url), connectRedis(server.url)])
  return {
    one: createRedisInstallations(clients[0]), other: createRedisInstallations(clients[1]),
    close: async () => {
      await clients[0].flushAll()
      await Promise.all(clients.map(client => client.close()))
    },
  }
})

installationsContract('Embedded', async () => {
  const store = new EmbeddedInstallations(await mkdtemp(join(dir, 'store-')))
  return { one: store, other: store, close: async () => {} }
})

test('embedded installations survive a restart', async () => {
  const folder = join(dir, 'restarted')
  const [kept, gone] = [{ channel: '19:a', within: '19:b' }, { channel: '19:c', within: '19:d' }]
  const before = new EmbeddedInstallations(folder)
  await before.learn('teams:1', kept)
  await before.learn('teams:2', gone)
  await before.forget('teams:2', gone.within)
  const after = new EmbeddedInstallations(folder)
  expect(await after.find('teams:1')).toEqual(kept)
  expect(await after.find('teams:2')).toBeNull()
})

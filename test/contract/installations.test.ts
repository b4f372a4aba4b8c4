import { beforeEach, describe, expect, test } from 'vitest'
import { EmbeddedInstallations } from '../../server/adapters/embedded/installations'
import { createRedisInstallations } from '../../server/adapters/redis/installations'
import type { Installations } from '../../server/ports/installations'
import { testFolder } from '../support/lifetime'
import { ownRedis, clientOf } from './stores'

/** Two replicas, or the same one twice. */
interface Setup { one: Installations, other: Installations }

const APP = 'app-1'
const ENGINES = { channel: '19:engines@thread', within: '19:works' }

const server = await ownRedis()

async function openRedis() {
  const connected = () => clientOf(server.url)
  const [one, other] = [await connected(), await connected()]
  await one.flushAll()
  return { one: createRedisInstallations(one), other: createRedisInstallations(other) }
}

async function openEmbedded() {
  const store = new EmbeddedInstallations(testFolder())
  return { one: store, other: store }
}

describe.each([['Redis', openRedis], ['Embedded', openEmbedded]] as const)('%s installations', (_, open) => {
  let setup: Setup
  beforeEach(async () => { setup = await open() })

  test('another channel within the same replaces it', async () => {
    const { one, other } = setup
    await one.learn(APP, ENGINES)
    const pumps = { ...ENGINES, channel: '19:pumps@thread' }
    expect(await other.learn(APP, pumps)).toEqual(pumps)
    expect(await one.find(APP)).toEqual(pumps)
  })

  test('it stands against one elsewhere until it is forgotten', async () => {
    const { one, other } = setup
    const elsewhere = { channel: '19:mallory@thread', within: '19:elsewhere' }
    await one.learn(APP, ENGINES)
    expect(await other.learn(APP, elsewhere)).toEqual(ENGINES)
    expect(await other.forget(APP, elsewhere.within)).toBe(false)
    expect(await one.find(APP)).toEqual(ENGINES)
    expect(await other.forget(APP, ENGINES.within)).toBe(true)
    expect(await one.find(APP)).toBeNull()
    expect(await one.forget(APP, ENGINES.within)).toBe(false)
    expect(await one.learn(APP, elsewhere)).toEqual(elsewhere)
  })

  test('of two at once one stands, and both are told which', async () => {
    const { one, other } = setup
    const elsewhere = { channel: '19:mallory@thread', within: '19:elsewhere' }
    const told = await Promise.all([one.learn(APP, ENGINES), other.learn(APP, elsewhere)])
    expect(told[0]).toEqual(told[1])
    expect(await one.find(APP)).toEqual(told[0])
  })
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

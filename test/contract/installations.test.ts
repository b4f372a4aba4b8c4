import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { createRedisStorage } from '../../server/adapters/redis/storage'
import { createSqliteStorage } from '../../server/adapters/sqlite/storage'
import { createInstallations } from '../../server/adapters/storage/installations'
import { storeId } from '../../server/adapters/storage/store-id'
import type { Installations } from '../../server/ports/installations'
import { testFolder } from '../support/lifetime'
import { fileDatabase, memoryDatabase } from '../support/sqlite'
import { ownRedis, clientOf, emptied } from './stores'

/** Two replicas, or the same one twice. */
interface Setup { one: Installations, other: Installations }

const APP = 'teams:contoso.example:app-1'
const ENGINES = { channel: '19:engines@thread', within: '19:works' }

const server = await ownRedis()

async function openRedis() {
  const connected = () => clientOf(server.url)
  const [one, other] = [await connected(), await connected()]
  await one.flushAll()
  return { one: createInstallations(createRedisStorage(one)), other: createInstallations(createRedisStorage(other)) }
}

async function openSqlite() {
  const storage = createSqliteStorage(memoryDatabase())
  return { one: createInstallations(storage), other: createInstallations(storage) }
}

describe.each([['Redis', openRedis], ['SQLite', openSqlite]] as const)('%s installations', (_, open) => {
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

  test('of two that forget it at once one does', async () => {
    const { one, other } = setup
    await one.learn(APP, ENGINES)
    const results = await Promise.all([one, other].map(each => each.forget(APP, ENGINES.within)))
    expect(results.sort()).toEqual([false, true])
  })

  test('of two at once one stands, and both are told which', async () => {
    const { one, other } = setup
    const elsewhere = { channel: '19:mallory@thread', within: '19:elsewhere' }
    const told = await Promise.all([one.learn(APP, ENGINES), other.learn(APP, elsewhere)])
    expect(told[0]).toEqual(told[1])
    expect(await one.find(APP)).toEqual(told[0])
  })
})

test('installations in SQLite survive a restart', async () => {
  const path = join(testFolder(), 'forms.db')
  const [kept, gone] = [{ channel: '19:a', within: '19:b' }, { channel: '19:c', within: '19:d' }]
  const db = fileDatabase(path)
  const before = createInstallations(createSqliteStorage(db))
  await before.learn('teams:1', kept)
  await before.learn('teams:2', gone)
  await before.forget('teams:2', gone.within)
  await db.close()
  const after = createInstallations(createSqliteStorage(fileDatabase(path)))
  expect(await after.find('teams:1')).toEqual(kept)
  expect(await after.find('teams:2')).toBeNull()
})

test('an installation and an id that an earlier version stored in Redis are found, and can be replaced', async () => {
  const client = await emptied(server.url)
  await client.hSet(`{triage}:installation:${APP}`, { ...ENGINES })
  await client.set('{triage}:id', 'an-earlier-id')
  const storage = createRedisStorage(client)
  const installations = createInstallations(storage)
  expect([await installations.find(APP), await storeId(storage)]).toEqual([ENGINES, 'an-earlier-id'])
  const elsewhere = { channel: '19:mallory@thread', within: '19:elsewhere' }
  expect(await installations.learn(APP, elsewhere)).toEqual(ENGINES)
  const pumps = { ...ENGINES, channel: '19:pumps@thread' }
  expect(await installations.learn(APP, pumps)).toEqual(pumps)
  expect(await installations.find(APP)).toEqual(pumps)
  expect(await installations.forget(APP, ENGINES.within)).toBe(true)
  expect(await installations.find(APP)).toBeNull()
})

test('processes that ask for the id of a new store at once get the same', async () => {
  const [one, other] = [createRedisStorage(await emptied(server.url)), createRedisStorage(await clientOf(server.url))]
  const ids = await Promise.all([storeId(one), storeId(other), storeId(one)])
  expect(new Set(ids).size).toBe(1)
  expect(await storeId(other)).toBe(ids[0])
  // Earlier versions read it there: another id would lose their files.
  expect(await (await clientOf(server.url)).get('{triage}:id')).toBe(ids[0])
})

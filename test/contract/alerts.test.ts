import { expect, test } from 'vitest'
import { createRedisStorage } from '../../server/adapters/redis/storage'
import { createSqliteStorage } from '../../server/adapters/sqlite/storage'
import { createAlertBook } from '../../server/adapters/storage/alerts'
import { endAfterAll } from '../support/lifetime'
import { connectRedis } from '../support/redis-client'
import { memoryDatabase } from '../support/sqlite'
import { ownRedis } from './stores'

const server = await ownRedis()
const client = endAfterAll(await connectRedis(server.url))

const MAKERS = [
  ['SQLite', () => {
    const db = memoryDatabase()
    return () => createAlertBook(createSqliteStorage(db))
  }],
  ['Redis', () => () => createAlertBook(createRedisStorage(client))],
] as const

test.each(MAKERS)('%s: the first state is empty, and each change sees the one before', async (_, make) => {
  await client.flushAll()
  const book = make()()
  const read = () => book.change(state => ({ state, result: state }))
  expect(await read()).toEqual({ outages: {}, sentAt: {}, speaker: null })
  const state = { outages: { slack: { since: 1, told: { email: true } } }, sentAt: { email: [2] }, speaker: null }
  await book.change(() => ({ state, result: null }))
  expect(await read()).toEqual(state)
})

test.each(MAKERS)('%s: of 20 replicas that claim at once, one gets it', async (_, make) => {
  await client.flushAll()
  const open = make()
  const claims = await Promise.all(Array.from({ length: 20 }, () => open().change((state) => {
    const isFree = !('slack' in state.outages)
    return { state: { ...state, outages: { slack: { since: 1, told: {} } } }, result: isFree }
  })))
  expect(claims.filter(Boolean)).toHaveLength(1)
})

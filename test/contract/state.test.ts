import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { QueueEntry, StateAdapter } from 'chat'
import { beforeEach, describe, expect, test } from 'vitest'
import { createChatState } from '../../server/adapters/redis/state'
import { SqliteState } from '../../server/adapters/sqlite/state'
import { testFolder } from '../support/lifetime'
import { fileDatabase, memoryDatabase } from '../support/sqlite'
import { until } from '../support/until'
import { emptied, ownRedis } from './stores'

/** Lifetime that ends during a test, ms, and one that does not. */
const SHORT = 30
const LONG = 60_000

const HOSTILE = ['', '__proto__', 'a:b', 'a*?', '\'; DROP TABLE chat_values; --', '名前 🦊', 'x'.repeat(2000)]

const server = await ownRedis()
const entry = (id: string, expiresAt = Date.now() + LONG) => (
  { message: { id }, enqueuedAt: 1, expiresAt } as unknown as QueueEntry
)

/** Contract of the Chat SDK's state, as far as the SDK and the listeners use it. */
describe.each<[string, () => Promise<StateAdapter>]>([
  ['Redis', async () => createChatState(await emptied(server.url))],
  ['SQLite', async () => new SqliteState(fileDatabase())],
])('state of the Chat SDK: %s', (_, open) => {
  let state: StateAdapter
  beforeEach(async () => {
    state = await open()
    await state.connect()
  })

  test('subscriptions are kept by thread, any number of times, until they end', async () => {
    for (const thread of [...HOSTILE, 'a:b']) await state.subscribe(thread)
    for (const thread of HOSTILE) expect(await state.isSubscribed(thread)).toBe(true)
    await state.unsubscribe('a:b')
    expect([await state.isSubscribed('a:b'), await state.isSubscribed('other')]).toEqual([false, false])
    expect(await state.isSubscribed('__proto__')).toBe(true)
  })

  test('values come back as they were, whatever their key', async () => {
    const value = { text: '"\\ 🦊', list: [1, null, { deep: true }], none: null }
    for (const key of HOSTILE) await state.set(key, { ...value, key })
    for (const key of HOSTILE) expect(await state.get(key)).toEqual({ ...value, key })
    await state.set('a:b', 7)
    expect(await state.get('a:b')).toBe(7)
    await state.delete('a:b')
    expect([await state.get('a:b'), await state.get('never set')]).toEqual([null, null])
  })

  test('a value ends with its time; one that is set again without a time does not', async () => {
    await state.set('short', 1, SHORT)
    await state.set('kept', 1, SHORT)
    await state.set('kept', 2)
    await until('the end', async () => await state.get('short') === null)
    expect(await state.get('kept')).toBe(2)
  })

  test('of fifty that set a value at once if there is none, one does; and again after its end', async () => {
    const key = randomUUID()
    const set = () => state.setIfNotExists(key, 1, LONG)
    expect((await Promise.all(Array.from({ length: 50 }, set))).filter(Boolean)).toHaveLength(1)
    await state.set(key, 2, SHORT)
    await until('its end', () => state.setIfNotExists(key, 3))
    expect(await state.setIfNotExists(key, 4, LONG)).toBe(false)
    expect(await state.get(key)).toBe(3)
  })

  test('of fifty that lock a thread at once one has the lock, until it releases it', async () => {
    const locks = await Promise.all(Array.from({ length: 50 }, () => state.acquireLock('thread', LONG)))
    const [lock] = locks.filter(each => each !== null)
    expect(locks.filter(Boolean)).toHaveLength(1)
    expect(lock!.threadId).toBe('thread')
    await state.releaseLock({ ...lock!, token: 'another' })
    expect(await state.acquireLock('thread', LONG)).toBeNull()
    expect(await state.extendLock({ ...lock!, token: 'another' }, LONG)).toBe(false)
    await state.releaseLock(lock!)
    expect(await state.acquireLock('thread', LONG)).not.toBeNull()
  })

  test('a lock that has ended or was taken over cannot be extended or released by its first owner', async () => {
    const lock = (await state.acquireLock('thread', SHORT))!
    await until('its end', async () => !await state.extendLock({ ...lock, token: 'x' }, 1)
      && Date.now() > lock.expiresAt + 2)
    expect(await state.extendLock(lock, LONG)).toBe(false)
    const next = (await state.acquireLock('thread', LONG))!
    await state.releaseLock(lock)
    expect(await state.extendLock(next, LONG)).toBe(true)
    await state.forceReleaseLock('thread')
    expect(await state.extendLock(next, LONG)).toBe(false)
    expect(await state.acquireLock('thread', LONG)).not.toBeNull()
  })

  test('an extended lock is kept for longer', async () => {
    // The process may pause for longer than the lock lasts: take another one then.
    const lock = await until('an extended lock', async () => {
      const taken = await state.acquireLock('thread', SHORT)
      return taken && await state.extendLock(taken, LONG) && taken
    })
    await until('its first end', () => Date.now() > lock.expiresAt + 2)
    expect(await state.acquireLock('thread', LONG)).toBeNull()
  })

  test('lists keep their newest values in order, and end with the time of the last one that has a time', async () => {
    for (let value = 0; value < 7; value++) await state.appendToList('list', { value }, { maxLength: 5 })
    await state.appendToList('other', 'x')
    expect(await state.getList('list')).toEqual([2, 3, 4, 5, 6].map(value => ({ value })))
    await state.appendToList('list', 'last', { ttlMs: LONG })
    expect(await state.getList('list')).toHaveLength(6)
    // If the process pauses between the two, the second starts a list without an end: try again.
    await until('a value in a list that ends', async () => {
      await state.appendToList('list', 'last', { ttlMs: SHORT })
      await state.appendToList('list', 'without', {})
      return (await state.getList('list')).length > 2
    })
    await until('its end', async () => (await state.getList('list')).length === 0)
    expect([await state.getList('other'), await state.getList('none')]).toEqual([['x'], []])
    await state.appendToList('list', 'anew')
    expect(await state.getList('list')).toEqual(['anew'])
  })

  test('fifty values appended at once are all there', async () => {
    await Promise.all(Array.from({ length: 50 }, (_, value) => state.appendToList('list', value)))
    const values = await state.getList<number>('list')
    expect(values.toSorted((a, b) => a - b)).toEqual([...Array.from({ length: 50 }).keys()])
  })

  test('messages that wait are taken once each, oldest first; the newest are kept', async () => {
    expect(await state.dequeue('thread')).toBeNull()
    expect(await state.enqueue('thread', entry('1'), 3)).toBe(1)
    for (const id of ['2', '3', '4']) await state.enqueue('thread', entry(id), 3)
    await state.enqueue('other', entry('5'), 3)
    expect([await state.queueDepth('thread'), await state.queueDepth('none')]).toEqual([3, 0])
    const taken = await Promise.all(Array.from({ length: 5 }, () => state.dequeue('thread')))
    expect(taken.map(each => each?.message.id ?? null)).toEqual(['2', '3', '4', null, null])
    expect(await state.queueDepth('thread')).toBe(0)
    expect(await state.getList('thread')).toEqual([])
  })
})

test('the state in SQLite survives a restart', async () => {
  const path = join(testFolder(), 'forms.db')
  const db = fileDatabase(path)
  const before = new SqliteState(db)
  await before.subscribe('thread')
  await before.set('checkpoint', { sequence: 7 }, LONG)
  await before.appendToList('list', 1)
  await before.enqueue('thread', entry('1'), 3)
  const lock = await before.acquireLock('thread', LONG)
  await db.close()
  const after = new SqliteState(fileDatabase(path))
  expect(await after.isSubscribed('thread')).toBe(true)
  expect(await after.get('checkpoint')).toEqual({ sequence: 7 })
  expect(await after.getList('list')).toEqual([1])
  expect((await after.dequeue('thread'))?.message.id).toBe('1')
  expect(await after.acquireLock('thread', LONG)).toBeNull()
  expect(await after.extendLock(lock!, LONG)).toBe(true)
})

test('messages that wait in SQLite are kept as long as the newest, and for a minute at least, as in Redis', async () => {
  let now = 1_000_000
  const db = memoryDatabase(() => now)
  const [state, redis] = [new SqliteState(db), await emptied(server.url)]
  await state.enqueue('short', entry('1', now + 1), 3)
  await state.enqueue('long', entry('1', now + 1), 3)
  await state.enqueue('long', entry('2', now + 90_000), 3)
  now += 59_999
  expect([await state.queueDepth('short'), await state.queueDepth('long')]).toEqual([1, 2])
  now += 1
  expect([await state.queueDepth('short'), await state.dequeue('short')]).toEqual([0, null])
  now += 29_999
  expect((await state.dequeue('long'))?.message.id).toBe('1')
  now += 1
  expect(await state.dequeue('long')).toBeNull()
  await db.tidy()
  expect(db.all('SELECT * FROM chat_lists')).toEqual([])

  const inRedis = createChatState(redis)
  await inRedis.connect()
  await inRedis.enqueue('short', entry('1', Date.now() + 1), 3)
  const leftMs = await redis.pTTL('chat-sdk:queue:short')
  expect(leftMs).toBeGreaterThan(1)
  expect(leftMs).toBeLessThanOrEqual(60_000)
})

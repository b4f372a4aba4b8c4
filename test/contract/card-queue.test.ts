import { beforeEach, describe, expect, it, test } from 'vitest'
import { RedisCardQueue } from '../../server/adapters/redis/card-queue'
import { SqliteCardQueue } from '../../server/adapters/sqlite/card-queue'
import type { CardQueueStore, Pace } from '../../server/ports/card-queue'
import type { SubmissionStore } from '../../server/ports/store'
import { submission } from '../fixtures/submissions'
import { connectRedis } from '../support/redis-client'
import { memoryDatabase } from '../support/sqlite'
import { ownRedis, redisStore, sqliteStore } from './stores'

interface Harness {
  queue: CardQueueStore
  /** Store that shares the queues; it accepts one form a minute from each client. */
  store: SubmissionStore
}

/** Interval so long that it cannot pass during a test, ms. */
const LONG = 60_000
/** Shortest interval that Redis can keep, ms. */
const SHORT = 1
const DAY_MS = 24 * 60 * 60 * 1000

const LIMIT = { limit: 1, windowS: 60 }

const redis = await ownRedis()

async function openSqlite() {
  const { db, store } = sqliteStore({ limit: LIMIT })
  return { queue: new SqliteCardQueue(db), store }
}

async function openRedis() {
  const { client, store } = await redisStore(redis.url, { limit: LIMIT })
  return { queue: new RedisCardQueue(client), store }
}

/** Contract of every card queue. */
describe.each([['SQLite', openSqlite], ['Redis', openRedis]] as const)('card queue: %s', (_, makeLine) => {
  let harness: Harness
  let queue: CardQueueStore
  beforeEach(async () => {
    harness = await makeLine()
    queue = harness.queue
  })

  /** Request for a card; its room then stays closed for the rest of the test. */
  const turn = (room = 'slack') => ({ room, intervalMs: LONG })
  /** Request for a card; its room opens again at once. */
  const open = { room: 'slack', intervalMs: SHORT }
  const enter = (id: string, receivedAt: number, room = 'slack') => queue.enter(room, { id, receivedAt })
  /** Next card once the room is open; null if none waits. */
  const takeSoon = async () => {
    for (;;) {
      const taken = await queue.take(open)
      if (taken.id !== null) return taken.id
      if (taken.waitMs === null) return null
    }
  }
  const stored = async (...queues: Pace[]) => {
    const { id, places } = await harness.store.create(submission(), { queues })
    return { id, places }
  }

  it('lets the first that is stored go at once, and the others wait', async () => {
    expect((await stored(turn())).places).toEqual([0])
    expect((await stored(turn())).places).toEqual([1])
    expect((await stored(turn('discord'), turn())).places).toEqual([0, 2])
    expect([await queue.length('slack'), await queue.length('discord')]).toEqual([2, 0])
  })

  it('keeps the place of one that enters again', async () => {
    expect([await enter('a', 1), await enter('b', 2), await enter('b', 0)]).toEqual([1, 2, 2])
    expect(await queue.length('slack')).toBe(2)
  })

  it('hands them out in order of arrival, each to one only, whenever they entered', async () => {
    const now = Date.now()
    const { id: first } = await stored(turn())
    const later = [await stored(open), await stored(open), await stored(open)].map(({ id }) => id)
    await enter('of yesterday', now - 24 * 60 * LONG)
    await enter(first, now - LONG)
    await queue.pause('slack', 0)
    const handed = await Array.fromAsync({ length: 6 }, takeSoon)
    expect(handed).toEqual(['of yesterday', first, ...later, null])
  })

  it('puts one that enters again before those that were stored in the same millisecond', async () => {
    const receivedAt = Date.now()
    const queues = [turn()]
    const [first, second] = [submission({ receivedAt }), submission({ receivedAt })]
    for (const each of [first, second]) await harness.store.create(each, { queues })
    expect(await enter(first.id, receivedAt)).toBe(1)
    expect(await enter(second.id, receivedAt)).toBe(2)
  })

  it('lets nobody out while the gate is closed, and says for how long', async () => {
    await stored(turn())
    await enter('b', 1)
    const taken = await queue.take(turn())
    expect(taken.id).toBeNull()
    expect((taken as { waitMs: number }).waitMs).toBeGreaterThan(0)
    expect((taken as { waitMs: number }).waitMs).toBeLessThanOrEqual(LONG)
  })

  it('closes the gate behind whoever is let out, and does without who was', async () => {
    for (const [at, id] of ['a', 'b', 'c'].entries()) await enter(id, at)
    expect(await queue.take(turn())).toEqual({ id: 'a' })
    expect((await queue.take(turn())).id).toBeNull()
    expect(await queue.length('slack')).toBe(2)
    expect((await stored(turn())).places).toEqual([3])
  })

  it('lets the next one out once its gate was opened before its time', async () => {
    for (const [at, id] of ['a', 'b'].entries()) await enter(id, at)
    await queue.take(turn())
    await queue.pause('slack', 0)
    expect(await queue.take(turn())).toEqual({ id: 'b' })
  })

  it('is empty when all were let out, and closed for as long as its interval', async () => {
    await enter('a', 1)
    expect(await queue.take(turn())).toEqual({ id: 'a' })
    expect(await queue.take(turn())).toEqual({ id: null, waitMs: null })
    expect((await stored(turn())).places).toEqual([1])
  })

  it('closed for a while lets nobody go at once', async () => {
    await queue.pause('slack', LONG - 0.5)
    expect((await stored(open)).places).toEqual([1])
    expect((await queue.take(open)).id).toBeNull()
  })

  it('keeps rooms apart', async () => {
    await enter('a', 1)
    await enter('a', 1, 'discord')
    await queue.pause('slack', LONG)
    expect(await queue.take(turn('discord'))).toEqual({ id: 'a' })
    expect((await queue.take(turn())).id).toBeNull()
    expect([await queue.length('slack'), await queue.length('discord')]).toEqual([1, 0])
  })

  it('is not entered by a form that is refused, or was sent before', async () => {
    const { store } = harness
    const [first, key, queues] = [submission(), 'a'.repeat(64), [turn()]]
    await store.create(first, { idempotencyKey: key })
    expect(await store.create(submission(), { idempotencyKey: key, queues })).toEqual({ id: first.id, places: [] })
    await store.create(submission(), { client: 'somebody' })
    await expect(store.create(submission(), { client: 'somebody', queues })).rejects.toThrow('limit is reached')
    await expect(store.create(first, { queues })).rejects.toThrow('exists already')
    expect((await stored(turn())).places).toEqual([0])
  })

  it('hands a notice to one until it is forgotten, and tells notices and rooms apart', async () => {
    const take = () => queue.takeNotice('slack', 'backlog')
    expect((await Promise.all([take(), take()])).sort()).toEqual([false, true])
    await queue.forgetNotice('slack', 'held')
    expect([
      await take(), await queue.takeNotice('slack', 'held'), await queue.takeNotice('discord', 'held'),
    ]).toEqual([false, true, true])
    await queue.forgetNotice('slack', 'backlog')
    expect([await take(), await queue.takeNotice('slack', 'held')]).toEqual([true, false])
  })
})

test('a notice that nobody took back is forgotten after a day', async () => {
  let now = 0
  const queue = new SqliteCardQueue(memoryDatabase(() => now))
  const taken = async (at: number) => {
    now = at
    return queue.takeNotice('slack', 'backlog')
  }
  expect([await taken(0), await taken(DAY_MS - 1), await taken(DAY_MS)]).toEqual([true, false, true])
  const client = await connectRedis(redis.url)
  await client.flushAll()
  await new RedisCardQueue(client).takeNotice('slack', 'backlog')
  const [key] = await client.keys('*')
  const [leftMs] = await Promise.all([client.pTTL(key!), client.quit()])
  expect(leftMs).toBeGreaterThan(0)
  expect(leftMs).toBeLessThanOrEqual(DAY_MS)
})

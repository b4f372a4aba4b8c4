import { beforeEach, describe, expect, test } from 'vitest'
import { RedisMessageQueue } from '../../server/adapters/redis/message-queue'
import { SqliteMessageQueue } from '../../server/adapters/sqlite/message-queue'
import type { MessageQueue, QueueLimits } from '../../server/ports/message-queue'
import { fileDatabase } from '../support/sqlite'
import { until } from '../support/until'
import { ownRedis, emptied } from './stores'

const redis = await ownRedis()

async function openRedis(limits: QueueLimits) {
  const client = await emptied(redis.url)
  return new RedisMessageQueue(client, limits)
}

/** Contract of every message queue. */
describe.each([
  ['SQLite', async (limits: QueueLimits) => new SqliteMessageQueue(fileDatabase(), limits)], ['Redis', openRedis],
] as const)('%s message queue', (_, open) => {
  let queue: MessageQueue
  beforeEach(async () => { queue = await open({ most: 3, keptMs: 60_000 }) })

  test('hands out the first message until it is removed, and counts', async () => {
    await queue.add('t', 'one')
    await queue.add('t', '2 two')
    expect(await queue.first('t')).toEqual({ message: 'one', attempt: 1 })
    expect(await queue.first('t')).toEqual({ message: 'one', attempt: 2 })
    await queue.remove('t', 'one')
    expect(await queue.first('t')).toEqual({ message: '2 two', attempt: 1 })
    await queue.remove('t', '2 two')
    expect(await queue.first('t')).toBeNull()
  })

  test('removes no other message than the one that is named', async () => {
    await queue.add('t', 'one')
    await queue.remove('t', 'two')
    await queue.remove('u', 'one')
    expect(await queue.first('t')).toMatchObject({ message: 'one' })
  })

  test('is empty before the first message and after the last, in each thread by itself', async () => {
    expect(await queue.isEmpty('t')).toBe(true)
    await queue.add('t', 'one')
    expect([await queue.isEmpty('t'), await queue.isEmpty('u')]).toEqual([false, true])
    await queue.remove('t', 'one')
    expect(await queue.isEmpty('t')).toBe(true)
  })

  test('forgets the oldest when more wait than may', async () => {
    for (const message of ['1', '2', '3', '4']) await queue.add('t', message)
    expect(await queue.first('t')).toMatchObject({ message: '2' })
  })

  test('names a thread in which nothing moves, once in that time, and none whose queue is empty', async () => {
    await queue.add('still', 'one')
    await queue.add('over', 'one')
    await queue.remove('over', 'one')
    expect(await queue.stalled(60_000, 10)).toEqual([])
    expect(await until('nothing to move', async () => (await queue.stalled(10, 10))[0])).toBe('still')
    expect(await queue.stalled(10_000, 10)).toEqual([])
  })

  test('names no more threads than asked for, the longest waiting first', async () => {
    await queue.add('b', 'one')
    const begun = Date.now()
    await until('a moment', () => Date.now() > begun + 2)
    await queue.add('a', 'one')
    expect(await queue.stalled(0, 1)).toEqual(['b'])
  })

  test('moves when a message is handed out, done or found to stand still, not when one comes behind', async () => {
    const moment = async () => {
      const begun = Date.now()
      await until('a moment', () => Date.now() > begun + 2)
    }
    const longest = async () => {
      await moment()
      return (await queue.stalled(0, 1))[0]
    }
    for (const thread of ['a', 'b', 'c', 'd']) {
      await queue.add(thread, 'one')
      await queue.add(thread, 'two')
      await moment()
    }
    await queue.add('a', 'three')
    expect(await longest()).toBe('a')
    await queue.first('b')
    expect(await longest()).toBe('c')
    await queue.remove('d', 'one')
    expect(await longest()).toBe('a')
  })

  test('forgets what nobody asked for in time', async () => {
    const short = await open({ most: 3, keptMs: 30 })
    await short.add('t', 'one')
    await until('it to be forgotten', () => short.isEmpty('t'))
    expect(await short.first('t')).toBeNull()
    expect(await short.stalled(0, 10)).toEqual([])
  })
})

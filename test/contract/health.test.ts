import { beforeEach, describe, expect, test } from 'vitest'
import { createRedisStorage } from '../../server/adapters/redis/storage'
import { createSqliteStorage } from '../../server/adapters/sqlite/storage'
import { createHealthBook } from '../../server/adapters/storage/health'
import type { HealthBook } from '../../server/ports/monitor'
import { memoryDatabase } from '../support/sqlite'
import { until } from '../support/until'
import { clientOf, ownRedis, emptied } from './stores'

const server = await ownRedis()

async function openRedis() {
  const client = await emptied(server.url)
  const other = createHealthBook(createRedisStorage(await clientOf(server.url)))
  return { client, book: createHealthBook(createRedisStorage(client)), other }
}

async function openSqlite() {
  const storage = createSqliteStorage(memoryDatabase())
  return { book: createHealthBook(storage), other: createHealthBook(storage) }
}

/** Contract of every `HealthBook`. `makeBook` is called for every test. */
describe.each([
  ['Redis', openRedis], ['SQLite', openSqlite],
] as const)('%s health book', (_, makeBook) => {
  let book: HealthBook
  /** The book of another process on the same store */
  let other: HealthBook
  const noted = (
    part: string, check: (health: Awaited<ReturnType<HealthBook['read']>>[string]) => boolean,
  ) => until(`a note of ${part}`, async () => {
    const health = (await book.read())[part]
    return health && check(health)
  })

  beforeEach(async () => { ({ book, other } = await makeBook()) })

  test('knows nothing of a part that was not used', async () => expect(await book.read()).toEqual({}))

  test('keeps the last success and the last error of each part', async () => {
    void book.note('slack', 1000)
    book.limit('slack', 9000)
    void book.note('email', 2000, 'Resend answered 401: "no".')
    void book.note('email', 3000, 'Resend answered 500.')
    void book.note('email', 4000)
    void book.note('teams/19:abc@thread.tacv2', 5000)
    void book.note('teams/19:abc@thread.tacv2', 6000, 'The channel was archived.')
    await noted('teams/19:abc@thread.tacv2', ({ lastError }) => lastError?.at === 6000)
    await noted('slack', ({ lastSuccessAt, limitedUntil }) => lastSuccessAt === 1000 && limitedUntil === 9000)
    await noted('email', ({ lastSuccessAt, lastError }) => lastSuccessAt === 4000 && lastError?.at === 3000)
    expect(await book.read()).toEqual({
      'slack': { lastSuccessAt: 1000, lastError: null, limitedUntil: 9000 },
      'email': { lastSuccessAt: 4000, lastError: { at: 3000, reason: 'Resend answered 500.' }, limitedUntil: null },
      'teams/19:abc@thread.tacv2': {
        lastSuccessAt: 5000, lastError: { at: 6000, reason: 'The channel was archived.' }, limitedUntil: null,
        failingSince: 6000,
      },
    })
  })

  test('the first success after an outage says when that began, once', async () => {
    expect(await book.note('slack', 1000)).toBeNull()
    await book.note('slack', 2000, 'Slack: no connection.')
    await book.note('slack', 3000, 'Slack: no connection.')
    expect(await book.note('slack/C9', 4000)).toBeNull()
    expect(await Promise.all([book.note('slack', 20_000), book.note('slack', 20_001)])).toEqual([2000, null])
    expect(await book.note('slack', 40_000)).toBeNull()
  })

  test('of two processes that see an outage end at once, one says when it began', async () => {
    await book.note('slack', 2000, 'Slack: no connection.')
    await other.note('slack', 3000, 'Slack: no connection.')
    const told = await Promise.all([book.note('slack', 4000), other.note('slack', 4000)])
    expect(told.toSorted()).toEqual([2000, null].toSorted())
    expect(await other.note('slack', 20_000)).toBeNull()
  })

  test('what two processes count is added up', async () => {
    for (const [at, each] of [book, other, book].entries()) each.count('misplaced', 'slack', at)
    await until('all', async () => (await book.incidents(5))[0]?.count === 3)
    expect(await other.incidents(5)).toEqual([{ kind: 'misplaced', detail: 'slack', count: 3, since: 0, lastAt: 2 }])
  })

  test('an incident keeps its whole count until a day after the last one in any process', async () => {
    const day = 86_400_000
    for (const at of [0, 1, 2]) book.count('misplaced', 'slack', at)
    await until('three', async () => (await book.incidents(5))[0]?.count === 3)
    other.count('misplaced', 'slack', day - 1)
    await until('four', async () => (await other.incidents(5))[0]?.count === 4)
    expect(await book.incidents(day + 5)).toEqual([
      { kind: 'misplaced', detail: 'slack', count: 4, since: 0, lastAt: day - 1 },
    ])
  })

  test('a part may have any name', async () => {
    const names = ['a:b::c', 'a/b?c', '..', '100%', 'x\ny']
    for (const name of names) await book.note(name, 1, 'line {"__proto__": 1}')
    const parts = await book.read()
    expect(Object.keys(parts).sort()).toEqual(names.sort())
    for (const name of names) expect(parts[name]!.lastError).toEqual({ at: 1, reason: 'line {"__proto__": 1}' })
  })

  test('a success after an error is noted however soon it comes', async () => {
    void book.note('slack', 1000)
    void book.note('slack', 1001, 'Slack: no connection.')
    void book.note('slack', 1002)
    await noted('slack', ({ lastSuccessAt, lastError }) => lastSuccessAt === 1002 && lastError?.at === 1001)
  })

  test('counts incidents by kind and detail, the latest first', async () => {
    expect(await book.incidents(0)).toEqual([])
    for (const at of [1000, 2000, 3000]) book.count('unknown-submission', '', at)
    book.count('unknown-submission', 'slack:C1', 4000)
    await until('the last incident', async () => (await book.incidents(5000)).length === 2)
    expect(await book.incidents(5000)).toEqual([
      { kind: 'unknown-submission', detail: 'slack:C1', count: 1, since: 4000, lastAt: 4000 },
      { kind: 'unknown-submission', detail: '', count: 3, since: 1000, lastAt: 3000 },
    ])
  })

  test('forgets an incident a day after it happened last, and begins to count anew', async () => {
    const day = 86_400_000
    book.count('unknown-submission', '', 0)
    book.count('unknown-submission', '', 1000)
    await until('the count', async () => (await book.incidents(1000))[0]?.count === 2)
    expect(await book.incidents(day + 999)).toHaveLength(1)
    expect(await book.incidents(day + 1000)).toEqual([])
    book.count('unknown-submission', '', day + 2000)
    await until('the new count', async () => (await book.incidents(day + 2000))[0]?.count === 1)
  })
})

test('a part that works all the time costs Redis one write in ten seconds', async () => {
  const { client, book } = await openRedis()
  await client.configResetStat()
  for (let at = 0; at < 30_000; at += 100) book.note('slack', at)
  await until('the last write', async () => (await book.read()).slack?.lastSuccessAt === 20_000)
  const [, calls] = /cmdstat_hset:calls=(\d+)/.exec(await client.info('commandstats')) ?? []
  expect(Number(calls)).toBe(3)
})

test('notes that wait for a silent Redis do not delay those who read', async () => {
  const { book } = await openRedis()
  await book.note('slack', 1000)
  server.pause()
  const notes = Array.from({ length: 5 }, (_, index) => book.note('slack', 2000 + index, 'Slack: no connection.'))
  const startedAt = performance.now()
  await expect(book.read()).rejects.toThrow().finally(() => server.resume())
  // A reader that waits for all notes takes at least 7 s; a busy machine may take longer than the promised 2 s.
  expect(performance.now() - startedAt).toBeLessThan(5000)
  await Promise.all(notes)
})

test('notes of an earlier version in Redis are read', async () => {
  const { client, book } = await openRedis()
  await client.hSet('{triage}:health', {
    'slack:success': '1000', 'slack:error': '{"at":2000,"reason":"no"}', 'slack:since': '2000',
    'teams/19:abc@thread.tacv2:success': '3000',
  })
  expect(await book.read()).toEqual({
    slack: {
      lastSuccessAt: 1000, lastError: { at: 2000, reason: 'no' }, limitedUntil: null, failingSince: 2000,
    },
  })
  expect(await book.note('slack', 4000)).toBe(2000)
})

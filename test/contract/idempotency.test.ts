import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { RedisStore } from '../../server/adapters/redis/store/store'
import { storeRules } from '../../server/domain/lifecycle/record'
import { KeyReused, type SubmissionStore } from '../../server/ports/store'
import { decided, keyOf, line, over, submission, work } from '../fixtures/submissions'
import { endAfterTest, testFolder } from '../support/lifetime'
import { connectRedis } from '../support/redis-client'
import { fileDatabase, memoryDatabase } from '../support/sqlite'
import { ownRedis, redisStore, sqliteStore } from './stores'

interface Harness {
  store: SubmissionStore
  /** Another client of the same store; the same client if the store allows only one. */
  other: SubmissionStore
}

const DAY_MS = 24 * 60 * 60 * 1000

const server = await ownRedis()

async function openRedis() {
  const { client, store } = await redisStore(server.url)
  const other = endAfterTest(new RedisStore(await connectRedis(server.url), storeRules))
  return { client, store, other }
}

async function openSqlite() {
  const { store } = sqliteStore()
  return { store, other: store }
}

/** Contract of `create` with idempotency keys, for every `SubmissionStore`. */
describe.each([['Redis', openRedis], ['SQLite', openSqlite]] as const)('%s store, idempotency keys', (_, open) => {
  let harness: Harness
  let store: SubmissionStore

  beforeEach(async () => {
    harness = await open()
    store = harness.store
  })

  test('a key answers with the first submission and stores no second, whatever that holds', async () => {
    const due = [work(Date.now() - 1)]
    const [first, second, key] = [submission({ work: due }), submission({ data: { name: 'Eve' }, work: due }), keyOf()]
    expect((await store.create(first, { idempotencyKey: key })).id).toBe(first.id)
    expect((await store.create(second, { idempotencyKey: key })).id).toBe(first.id)
    expect((await harness.other.create(second, { idempotencyKey: key })).id).toBe(first.id)
    expect(await store.get(second.id)).toBeNull()
    expect(await store.listPending({ limit: 10 })).toEqual({ submissions: [first], total: 1, cursor: null })
    expect(await store.lease(1000, 10)).toEqual([first.id])
  })

  test('a key is of one form: with another fingerprint nothing is stored', async () => {
    const [first, key] = [submission(), keyOf()]
    await store.create(first, { idempotencyKey: key, fingerprint: '0123abcd' })
    for (const each of [store, harness.other]) {
      const send = (fingerprint: string) => each.create(submission(), { idempotencyKey: key, fingerprint })
      await expect(send('ffff0000')).rejects.toThrow(KeyReused)
      expect((await send('0123abcd')).id).toBe(first.id)
    }
    expect((await store.listPending({ limit: 10 })).total).toBe(1)
  })

  test('a key that an earlier version stored, without a fingerprint, is of any form', async () => {
    const [first, key] = [submission(), keyOf()]
    await store.create(first, { idempotencyKey: key })
    expect((await store.create(submission(), { idempotencyKey: key, fingerprint: '0123abcd' })).id).toBe(first.id)
  })

  test('without a key, and with another, every submission is a new one', async () => {
    const all = Array.from({ length: 4 }, () => submission())
    const keys = [undefined, undefined, keyOf(), keyOf()]
    expect(
      await Promise.all(all.map((each, index) => store.create(each, { idempotencyKey: keys[index] }))),
    ).toMatchObject(all.map(({ id }) => ({ id })))
    expect((await store.listPending({ limit: 10 })).total).toBe(4)
  })

  test('fifty at once with one key are one submission, on two processes', async () => {
    const [all, key] = [Array.from({ length: 50 }, () => submission()), keyOf()]
    const answers = await Promise.all(
      all.map((each, index) => (index % 2 ? store : harness.other).create(each, { idempotencyKey: key })),
    )
    expect(new Set(answers.map(({ id }) => id)).size).toBe(1)
    expect((await store.listPending({ limit: 10 })).submissions.map(({ id }) => id)).toEqual([answers[0]!.id])
  })

  test('a key is held after the submission is over', async () => {
    const [first, key] = [submission(), keyOf()]
    await store.create(first, { idempotencyKey: key })
    const claimed = decided(first)
    await store.replace(first, claimed)
    await store.replace(claimed, over(claimed), line(first.id))
    expect((await store.create(submission(), { idempotencyKey: key })).id).toBe(first.id)
    expect((await store.listPending({ limit: 10 })).total).toBe(0)
  })

  test('a submission that could not be created holds no key', async () => {
    const [taken, key] = [submission(), keyOf()]
    await store.create(taken)
    await expect(store.create(taken, { idempotencyKey: keyOf() })).rejects.toThrow('exists already')
    const next = submission()
    expect((await store.create(next, { idempotencyKey: key })).id).toBe(next.id)
  })
})

test('a restart keeps the keys in SQLite', async () => {
  const [path, first, key] = [join(testFolder(), 'forms.db'), submission(), keyOf()]
  const before = sqliteStore({}, fileDatabase(path))
  await before.store.create(first, { idempotencyKey: key })
  await before.db.close()
  const { store } = sqliteStore({}, fileDatabase(path))
  expect((await store.create(submission(), { idempotencyKey: key })).id).toBe(first.id)
})

test('a key is held for 24 h and no longer in SQLite, and leaves nothing behind', async () => {
  let now = Date.now()
  const { db, store } = sqliteStore({}, memoryDatabase(() => now))
  const [first, second, key] = [submission(), submission(), keyOf()]
  await store.create(first, { idempotencyKey: key })
  now += DAY_MS - 1
  expect((await store.create(second, { idempotencyKey: key })).id).toBe(first.id)
  now += 1
  await db.tidy()
  expect(db.all('SELECT * FROM idempotency')).toEqual([])
  expect((await store.create(second, { idempotencyKey: key })).id).toBe(second.id)
})

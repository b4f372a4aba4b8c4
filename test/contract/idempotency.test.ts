import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { EmbeddedStore } from '../../server/adapters/embedded/store'
import { RedisStore } from '../../server/adapters/redis/store/store'
import { storeRules } from '../../server/domain/lifecycle/record'
import { KeyReused, type SubmissionStore } from '../../server/ports/store'
import { decided, keyOf, line, over, submission, work } from '../fixtures/submissions'
import { endAfterTest, testFolder } from '../support/lifetime'
import { connectRedis } from '../support/redis-client'
import { embeddedStore, ownRedis, redisStore } from './stores'

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

async function openEmbedded() {
  const { store } = embeddedStore()
  return { store, other: store }
}

/** Contract of `create` with idempotency keys, for every `SubmissionStore`. */
describe.each([['Redis', openRedis], ['Embedded', openEmbedded]] as const)('%s store, idempotency keys', (_, open) => {
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

describe('Embedded store, idempotency keys on disk', () => {
  let dir: string
  let now: number
  const open = () => new EmbeddedStore({ dir, ...storeRules, now: () => now })

  beforeEach(async () => {
    dir = testFolder()
    now = Date.now()
  })

  test('a restart keeps the keys', async () => {
    const [first, key] = [submission(), keyOf()]
    await open().create(first, { idempotencyKey: key })
    expect((await open().create(submission(), { idempotencyKey: key })).id).toBe(first.id)
  })

  test('a key is held for 24 h and no longer, and leaves nothing behind', async () => {
    const store = open()
    const [first, second, key] = [submission(), submission(), keyOf()]
    await store.create(first, { idempotencyKey: key })
    now += DAY_MS - 1
    expect((await store.create(second, { idempotencyKey: key })).id).toBe(first.id)
    now += 1
    expect((await store.create(second, { idempotencyKey: keyOf() })).id).toBe(second.id)
    expect(await readdir(join(dir, 'idempotency'))).toHaveLength(1)
    const third = submission()
    expect((await store.create(third, { idempotencyKey: key })).id).toBe(third.id)
  })

  test('a form whose key cannot be written is not stored: sent again it would be a second one', async () => {
    const [store, key] = [open(), keyOf()]
    await store.check()
    await mkdir(join(dir, 'unfinished', `idempotency-${key}`), { recursive: true })
    await expect(store.create(submission(), { idempotencyKey: key })).rejects.toThrow('EISDIR')
    expect((await store.listPending({ limit: 1 })).total).toBe(0)
  })

  test('a kill between key and submission loses the key, not the form that is sent again', async () => {
    const [lost, again, key] = [submission(), submission(), keyOf()]
    await open().create(lost, { idempotencyKey: key })
    await rm(join(dir, 'submission', lost.id))
    expect((await open().create(again, { idempotencyKey: key })).id).toBe(again.id)
  })
})

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createRedisDrafts } from '../../server/adapters/redis/drafts'
import { RedisStore } from '../../server/adapters/redis/store/store'
import { createSqliteDrafts } from '../../server/adapters/sqlite/drafts'
import { SqliteStore } from '../../server/adapters/sqlite/store'
import { storeRules } from '../../server/domain/lifecycle/record'
import type { Drafts } from '../../server/ports/drafts'
import type { SubmissionStore } from '../../server/ports/store'
import type { Submission } from '../../server/ports/submission'
import { decided, over, submission } from '../fixtures/submissions'
import { endAfterTest } from '../support/lifetime'
import { connectRedis } from '../support/redis-client'
import { memoryDatabase } from '../support/sqlite'
import { until } from '../support/until'
import { ownRedis } from './stores'

const HOUR_MS = 3_600_000

const redis = await ownRedis()

interface Harness { store: SubmissionStore, drafts: Drafts }

describe.each<[string, () => Promise<Harness>]>([
  ['Redis', async () => {
    const client = await connectRedis(redis.url)
    return { store: new RedisStore(client, storeRules), drafts: createRedisDrafts(client) }
  }],
  ['SQLite', async () => {
    const db = memoryDatabase()
    return { store: new SqliteStore(db, storeRules), drafts: createSqliteDrafts(db) }
  }],
])('%s drafts', (_, open) => {
  let h: Harness
  beforeAll(async () => { h = await open() })
  afterAll(() => h.store.close())

  async function drafted(changes: Partial<Submission> = {}): Promise<Submission> {
    const stored = submission(changes)
    await h.store.create(stored)
    await h.drafts.save(stored.id, 'form', 'Grace', HOUR_MS)
    return stored
  }

  test('a draft is kept by its submission and its name, replaced and removed', async () => {
    const { id } = await drafted()
    await h.drafts.save(id, 'other', 'Edsger', HOUR_MS)
    await h.drafts.save(id, 'form', 'Grace Hopper', HOUR_MS)
    expect(await h.drafts.load(id, 'form')).toEqual({ text: 'Grace Hopper', isErased: false })
    await h.drafts.remove(id, 'form')
    expect(await h.drafts.load(id, 'form')).toEqual({ text: null, isErased: false })
    expect(await h.drafts.load(id, 'other')).toEqual({ text: 'Edsger', isErased: false })
  })

  test.each<[string, (stored: Submission) => Promise<unknown>]>([
    ['erased, its record kept', stored => h.store.replace(stored, decided(stored, { data: null }))],
    ['over', stored => h.store.replace(stored, over(stored))],
  ])('a draft goes with form data that is %s, and is not kept after it', async (_, end) => {
    const stored = await drafted()
    await end(stored)
    expect(await h.drafts.load(stored.id, 'form')).toEqual({ text: null, isErased: true })
    await h.drafts.save(stored.id, 'late', 'Grace', HOUR_MS)
    expect(await h.drafts.load(stored.id, 'late')).toEqual({ text: null, isErased: true })
  })

  test('a draft stays while a decision may still fail', async () => {
    const stored = await drafted()
    await h.store.replace(stored, decided(stored))
    expect(await h.drafts.load(stored.id, 'form')).toEqual({ text: 'Grace', isErased: false })
  })

  test('a draft ends with its time, and with that of the form data', async () => {
    const { id } = await drafted({ expiresAt: Date.now() + 1000 })
    const { id: other } = await drafted()
    await h.drafts.remove(other, 'form')
    await h.drafts.save(other, 'form', 'Grace', 500)
    const textOf = async (of: string) => (await h.drafts.load(of, 'form')).text
    expect([await textOf(id), await textOf(other)]).toEqual(['Grace', 'Grace'])
    await until('the end of its time', async () => await textOf(other) === null)
    await until('the end of the form data', async () => await textOf(id) === null)
  })
})

test('what Redis cannot read any more takes its drafts along', async () => {
  const client = await connectRedis(redis.url)
  const [store, drafts] = [endAfterTest(new RedisStore(client, storeRules)), createRedisDrafts(client)]
  const stored = submission()
  await store.create(stored)
  const { id } = stored
  await drafts.save(id, 'form', 'Grace', HOUR_MS)
  await store.forget(id)
  expect(await drafts.load(id, 'form')).toEqual({ text: null, isErased: true })
})

import { beforeEach, describe, expect, test } from 'vitest'
import type { SubmissionStore } from '../../server/ports/store'
import type { Submission } from '../../server/ports/submission'
import { line, over, submission } from '../fixtures/submissions'
import { until } from '../support/until'
import { ownRedis, redisStore, sqliteStore } from './stores'

/** Store that keeps three quarantined submissions, and access to its data. */
interface Harness {
  store: SubmissionStore
  /** Names of all stored data of an id. */
  traces(id: string): Promise<unknown[]>
}

const server = await ownRedis()

async function openRedis(heldMax = 3) {
  const { client, store } = await redisStore(server.url, { heldMax })
  const indexes = ['{triage}:pending', '{triage}:held', '{triage}:due']
  return { store, traces: async (id: string) => [
    ...(await client.keys('*')).filter(key => key.includes(id)),
    ...(await Promise.all(indexes.map(async key => await client.zScore(key, id) === null ? [] : [key]))).flat(),
  ] }
}

async function openSqlite(heldMax = 3) {
  const { db, store } = sqliteStore({ heldMax })
  return { store, traces: async (id: string) => (
    db.all('SELECT * FROM submissions LEFT JOIN contents USING (seq) WHERE id = ?', id)
  ) }
}

/** Contract of every `SubmissionStore` for quarantined submissions. `makeStore` is called for every test. */
describe.each([
  ['Redis', openRedis], ['SQLite', openSqlite],
] as const)('%s submission store, with held submissions', (_, makeStore) => {
  let harness: Harness
  let store: SubmissionStore

  beforeEach(async () => {
    harness = await makeStore()
    store = harness.store
  })

  const held = (receivedAt = Date.now()) => submission({ state: 'held', work: [], receivedAt })
  const lists = async () => [
    await store.listPending({ limit: 10 }), await store.listPending({ limit: 10, only: 'held' }),
  ].map(({ submissions, total }) => [submissions.map(({ id }) => id), total])

  test('they are a list of their own, and not in the backlog', async () => {
    const now = Date.now()
    const [old, young, open] = [held(now - 10), held(now), submission()]
    for (const each of [young, open, old]) await store.create(each)
    expect(await lists()).toEqual([[[open.id], 1], [[young.id, old.id], 2]])
    expect(await store.backlog(now)).toMatchObject({ pending: 1 })
    expect(await store.get(old.id)).toEqual(old)
    const first = await store.listPending({ limit: 1, only: 'held' })
    expect(await store.listPending({ limit: 1, only: 'held', before: first.cursor! })).toEqual({
      submissions: [old], total: 2, cursor: null,
    })
  })

  test('a released one changes the list in one step, with its audit line', async () => {
    // One fixed time: all lines fall into the same hour.
    const now = Date.now()
    const one = held(now)
    await store.create(one)
    const released: Submission = { ...one, version: 2, state: 'open' }
    const note = { ...line(one.id, now), outcome: 'released' as const }
    expect(await store.replace({ ...one, version: 7 }, released, note)).toBeNull()
    expect(await store.replace(one, released, note)).not.toBeNull()
    expect(await lists()).toEqual([[[one.id], 1], [[], 0]])
    expect(await store.audit(10)).toEqual([note])
    expect((await store.tally(now)).at(-1)!.counts).toEqual({ received: 1, released: 1 })
  })

  test('one that is over leaves its trace, and a line only when one is given', async () => {
    const [one, other] = [held(), held()]
    for (const each of [one, other]) await store.create(each)
    const traces = [one, other].map(each => over(each))
    expect(await store.replace(one, traces[0]!)).not.toBeNull()
    expect(await store.audit(10)).toEqual([])
    expect(await store.replace(other, traces[1]!, { ...line(other.id), outcome: 'erased' })).not.toBeNull()
    expect((await store.audit(10)).map(({ outcome }) => outcome)).toEqual(['erased'])
    expect(await lists()).toEqual([[[], 0], [[], 0]])
    for (const trace of traces) expect(await store.get(trace.id)).toEqual(trace)
    expect((await store.backlog(Number.MAX_SAFE_INTEGER)).overdue).toBe(0)
  })

  test('the oldest go with all that is kept of them when there are too many; open ones stay', async () => {
    const now = Date.now()
    const open = submission({ receivedAt: now - 100 })
    await store.create(open)
    const heard: (string | null)[] = []
    const stop = store.watch({ changed: id => heard.push(id), alive: () => {} })
    await until('the watch to stand', () => heard.includes(null))
    const all = Array.from({ length: 5 }, (_, index) => held(now - 50 + index))
    for (const each of all) await store.create(each)
    expect(await lists()).toEqual([[[open.id], 1], [all.slice(2).toReversed().map(({ id }) => id), 3]])
    for (const { id } of all.slice(0, 2)) {
      expect(await harness.traces(id)).toEqual([])
      expect(await store.get(id)).toBeNull()
      // One change when it was created, and one when it was removed.
      await until('it to be heard of', () => heard.filter(each => each === id).length === 2)
    }
    stop()
    expect(await store.audit(10)).toEqual([])
  })
})

test.each(
  [['Redis', openRedis], ['SQLite', openSqlite]] as const,
)('%s keeps none when none are to be kept', async (_, open) => {
  const { store, traces } = await open(0)
  const one = submission({ state: 'held', work: [] })
  expect((await store.create(one)).id).toBe(one.id)
  expect(await traces(one.id)).toEqual([])
})

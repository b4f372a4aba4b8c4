import { beforeEach, describe, expect, test } from 'vitest'
import type { SubmissionStore } from '../../server/ports/store'
import type { Submission, Work } from '../../server/ports/submission'
import { line, over, submission, work } from '../fixtures/submissions'
import { until } from '../support/until'
import { ownRedis, redisStore, sqliteStore } from './stores'

/** Empty store, and access to its data. */
interface Harness {
  store: SubmissionStore
  /** All stored data of an id as text, except its audit line. */
  text(id: string): Promise<string>
}

/** Lease time that is longer than any test, ms. */
const LONG_MS = 60_000
const DAY_MS = 24 * 60 * 60 * 1000

const UPDATE: Work = { key: 'update', kind: 'update', attempts: 0, dueAt: 1 }

const server = await ownRedis()

async function openRedis() {
  const { client, store } = await redisStore(server.url)
  const textOf = async (key: string) => await client.type(key) === 'hash'
    ? JSON.stringify(await client.hGetAll(key))
    : await client.get(key)
  return { store, client, text: async (id: string) => {
    const keys = (await client.keys('*')).filter(key => key.includes(id))
    return (await Promise.all(keys.map(textOf))).join()
  } }
}

async function openSqlite() {
  const { db, store } = sqliteStore()
  return { store, text: async (id: string) => JSON.stringify(
    db.all('SELECT * FROM submissions LEFT JOIN contents USING (seq) WHERE id = ?', id),
  ) }
}

/** Contract of every `SubmissionStore` for traces of finished submissions. `makeStore` is called for every test. */
describe.each([
  ['Redis', openRedis], ['SQLite', openSqlite],
] as const)('%s submission store, with traces', (_, makeStore) => {
  let harness: Harness
  let store: SubmissionStore

  beforeEach(async () => {
    harness = await makeStore()
    store = harness.store
  })

  async function create(changes: Partial<Submission> = {}): Promise<Submission> {
    const created = submission(changes)
    await store.create(created)
    return created
  }

  test('of one that is over its trace and its audit line stay, and no form data', async () => {
    const form = { secret: 'only-here' }
    const created = await create({
      data: form, envelope: { subject: 'only-here' }, before: form, work: [work(Date.now() - 1)],
    })
    const trace = over(created, {
      form: 'jobs', look: 2, edited: [], delivered: ['email', 'endpoint'],
      cards: [
        { platform: 'slack', threadId: 'slack:C1', messageId: '1.2' },
        { platform: 'slack', threadId: 'slack:C1:1.3', messageId: '1.3', isGivenUp: true },
      ],
      sent: [{ delivery: 'email', content: '', to: ['a@example.com'], at: 5, messageId: 're_1' }, {
        delivery: 'endpoint', content: '', to: ['example.com'], at: 6,
      }],
    })
    expect(await store.replace({ ...created, version: 7 }, trace, line(created.id))).toBeNull()
    expect(await store.replace(created, trace, line(created.id, 1_000 + Date.now()))).not.toBeNull()
    expect(await store.replace(created, trace, line(created.id))).toBeNull()
    expect(await store.get(created.id)).toEqual(trace)
    expect(await harness.text(created.id)).not.toContain('only-here')
    expect(await store.listPending({ limit: 10 })).toEqual({ submissions: [], total: 0, cursor: null })
    expect(await store.lease(LONG_MS, 10)).toEqual([])
    expect(await store.audit(10)).toHaveLength(1)
  })

  test('a trace comes back as it was, whoever decided or erased it, or nobody', async () => {
    const reviewer = { id: 'U1', name: 'Zoë "Z" \u2028', platform: 'Slack' }
    for (const changes of [
      { decision: { action: 'spam', reviewer, at: 7, edited: false } }, { state: 'expired', decision: null },
      { state: 'erased', decision: null, erased: { reviewer, at: 7 } }, { collapse: { at: 7, begun: true } },
      { sent: [{
        delivery: 'email', content: '', to: ['a@example.com'], at: 7,
        receipt: { verdict: 'bounced', reason: 'No such mailbox.' },
      }] },
      { pressed: 'p1' }, { collapse: { at: 7, begun: true }, pressed: 'p1' },
      { cards: [
        { platform: 'slack', threadId: 'slack:C1:1.2', messageId: '1.2' },
        { platform: 'a', threadId: 'b', messageId: 'b' },
        { platform: 'gchat', threadId: 'gchat:spaces/A:dGhyZWFk', messageId: 'spaces/A/messages/B' },
      ] },
    ] as Partial<Submission>[]) {
      const created = await create()
      const trace = over(created, changes)
      expect(await store.replace(created, trace)).not.toBeNull()
      expect(await store.get(created.id)).toEqual(trace)
    }
  })

  test('what would be kept longer than there is data is refused, and is without it from then on', async () => {
    const created = await create({ work: [] })
    const decision = { action: 'spam' as const, reviewer: { id: 'U1', name: 'Ada', platform: 'Slack' }, at: 1 }
    const revocableUntil = Date.now() + 100
    const kept: Submission = { ...created, version: 2, state: 'settled', decision, revocableUntil }
    await store.replace(created, kept)
    await until('its data gone', async () => (await store.get(created.id))?.data === null)
    const reopened: Submission = { ...kept, version: 3, state: 'open', decision: null, revocableUntil: undefined }
    expect(await store.replace(kept, reopened)).toBeNull()
    expect((await store.listPending({ limit: 10 })).total).toBe(0)
    const left = (await store.get(created.id))!
    expect(left).toEqual({ ...kept, data: null })
    expect(await store.replace(left, { ...left, version: 3, revocableUntil: undefined })).not.toBeNull()
  })

  test('a trace is changed by compare-and-set, and one that has work again is due, and over once more', async () => {
    const created = await create()
    const trace = over(created)
    await store.replace(created, trace)
    const behind: Submission = { ...trace, version: 3, work: [UPDATE] }
    const won = await Promise.all(Array.from({ length: 20 }, () => store.replace(trace, behind)))
    expect(won.filter(Boolean)).toHaveLength(1)
    expect(await store.get(created.id)).toEqual(behind)
    expect(await store.lease(LONG_MS, 10)).toEqual([created.id])
    expect((await store.listPending({ limit: 10 })).total).toBe(0)
    const again = { ...trace, version: 4 }
    expect(await store.replace(trace, again)).toBeNull()
    expect(await store.replace(behind, again)).not.toBeNull()
    expect(await store.get(created.id)).toEqual(again)
    expect(await store.lease(0, 10)).toEqual([])
  })

  test('a trace that has work again weeks after its form came in stays until that is done', async () => {
    const created = await create()
    const at = Date.now() - 16 * DAY_MS
    const decision = { action: 'forward' as const, reviewer: { id: 'U1', name: 'Ada', platform: 'Slack' }, at }
    const trace = over(created, { receivedAt: at, expiresAt: at + 7 * DAY_MS, decision })
    await store.replace(created, trace)
    const behind: Submission = { ...trace, version: 3, work: [UPDATE] }
    expect(await store.replace(trace, behind)).not.toBeNull()
    const failed: Submission = { ...behind, version: 4, work: [{ ...UPDATE, attempts: 1 }] }
    expect(await store.replace(behind, failed)).not.toBeNull()
    expect(await store.get(created.id)).toEqual(failed)
    expect(await store.lease(LONG_MS, 10)).toEqual([created.id])
  })
})

test('a trace is one key of at most 1.3 KB for a week, with two cards, two deliveries and a receipt', async () => {
  const redis = await openRedis()
  const created = submission({ form: 'applications', cards: [
    { platform: 'slack', threadId: 'slack:C0123456789:1763712000.123456', messageId: '1763712000.123456' },
    {
      platform: 'discord', threadId: 'discord:1234567890123456789:1234567890123456789',
      messageId: '1234567890123456789',
    },
  ], sent: [
    {
      delivery: 'email', content: 'x', to: ['applications@example.com'], at: Date.now(),
      messageId: '49a3999c-0ce1-4ea6-ab68-afcd6dc2e794',
      receipt: { verdict: 'bounced', reason: 'mailbox does not exist' },
    }, { delivery: 'endpoint', content: 'x', to: ['hooks.example.com'], at: Date.now() },
  ], delivered: ['email', 'endpoint'] })
  await redis.store.create(created)
  await redis.store.replace(created, over(created, { look: 3 }))
  const key = `{triage}:s:${created.id}`
  expect((await redis.client.keys('*')).filter(each => each.includes(created.id))).toEqual([key])
  expect(await redis.client.memoryUsage(key)).toBeLessThanOrEqual(1300)
  const left = await redis.client.pTTL(key)
  expect(left).toBeGreaterThan(7 * DAY_MS - 60_000)
  expect(left).toBeLessThanOrEqual(7 * DAY_MS)
  const trace = (await redis.store.get(created.id))!
  await redis.store.replace(trace, { ...trace, version: 3, work: [UPDATE] })
  expect((await redis.client.keys('*')).filter(each => each.includes(created.id))).toEqual([key])
  expect(await redis.client.pTTL(key)).toBeGreaterThan(left - 60_000)
})

test('a trace of an earlier version is read, and is a record from then on, for as long as it was to be kept', async () => {
  const { client, store } = await openRedis()
  const { id, receivedAt } = submission()
  const list = [
    7, 'settled', 'jobs', 3, receivedAt, 604_800_000, [['slack:C1:1.2', 0, 0], ['discord:1:2', 0, 'x', 1]],
    ['forward', null, 5000, 'U1', 'Ada', 'Slack'], null, ['email'],
    [['email', ['team@example.com'], 6000, 'm1', 'bounced', 'no such box']], 9000, 'press',
  ]
  await client.set(`{triage}:t:${id}`, JSON.stringify(list), { PX: DAY_MS })
  const trace = (await store.get(id))!
  expect(trace).toMatchObject({
    id, version: 7, state: 'settled', form: 'jobs', look: 3, receivedAt, expiresAt: receivedAt + 604_800_000,
    data: null,
    cards: [
      { platform: 'slack', threadId: 'slack:C1:1.2', messageId: '1.2' },
      { platform: 'discord', threadId: 'discord:1:2', messageId: 'x', isGivenUp: true },
    ],
    decision: { action: 'forward', at: receivedAt + 5000, reviewer: { id: 'U1', name: 'Ada', platform: 'Slack' } },
    delivered: ['email'], collapse: { at: receivedAt + 9000, begun: true }, pressed: 'press',
    sent: [{
      delivery: 'email', to: ['team@example.com'], at: receivedAt + 6000, messageId: 'm1',
      receipt: { verdict: 'bounced', reason: 'no such box' },
    }],
  })
  expect(await client.keys(`*${id}`)).toEqual([`{triage}:s:${id}`])
  expect(await client.pTTL(`{triage}:s:${id}`)).toBeLessThanOrEqual(DAY_MS)
  expect(await store.get(id)).toEqual(trace)
  expect(await store.replace(trace, { ...trace, version: 8, work: [UPDATE] })).not.toBeNull()
  await client.set('{triage}:t:spoilt', '[2,"settled')
  expect(await store.get('spoilt')).toBeNull()
})

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createRedis, type RedisClient } from '../../server/adapters/redis/connection/client'
import { RedisStore } from '../../server/adapters/redis/store/store'
import { storeRules } from '../../server/domain/lifecycle/record'
import type { Log } from '../../server/ports/runtime'
import { UnreadableRecord } from '../../server/ports/store'
import { decided, line, over, submission } from '../fixtures/submissions'
import { endAfterTest } from '../support/lifetime'
import { connectRedis } from '../support/redis-client'
import { startRedis } from '../support/redis-server'
import { took } from '../support/stopwatch'
import { until } from '../support/until'
import { submissionStoreContract } from './submission-store'
import { ownRedis } from './stores'

const CARD = { platform: 'slack', threadId: 'slack:C1:1.1', messageId: '1.1' }

let client: RedisClient
let store: RedisStore
let events: string[]
const note = (event: string) => void events.push(event)
const log: Log = { info: note, warn: note, error: note }

function connect(url = server.url): void {
  events = []
  client = createRedis(url, log)
  store = new RedisStore(client, storeRules)
}

/** Waits for the connection, so that the first call has as much time as later ones. */
async function connected(): Promise<void> {
  connect()
  await until('Redis', () => client.isReady)
}

const server = await ownRedis()

submissionStoreContract('Redis', async () => {
  await connected()
  await client.flushAll()
  return { store, close: () => store.close() }
})

describe('Redis submission store, in Redis', () => {
  beforeEach(async () => {
    await connected()
    await client.flushAll()
  })
  afterEach(() => store.close())

  test('form data is in no key but its own, and every key carries the hash tag', async () => {
    const form = { secret: 'only-here' }
    const created = submission({ data: form, envelope: { subject: 'only-here' }, before: form })
    await store.create(created)
    expect(await client.hGetAll(`{triage}:s:${created.id}`)).not.toMatchObject({
      r: expect.stringContaining('only-here'),
    })
    expect((await client.keys('*')).every(key => key.startsWith('{triage}:'))).toBe(true)
  })

  test('what an edit was made on is kept, also beside data that are the same again', async () => {
    const created = submission()
    await store.create(created)
    const edited = { ...created, version: 2, edited: ['name'], before: { name: 'Ada before' } }
    await store.replace(created, edited)
    expect(await store.get(created.id)).toEqual(edited)
  })

  test('what was stored last is recalled without its data, and a replacement reads them', async () => {
    const created = submission({ envelope: { subject: 'Engines' } })
    expect(store.recall(created.id)).toBeNull()
    await store.create(created)
    const posted = { ...created, version: 2, cards: [CARD], work: [] }
    await store.replace(created, posted)
    const recalled = store.recall(created.id)!
    const { envelope, ...rest } = posted
    expect({ ...recalled, data: created.data }).toEqual(rest)
    expect(recalled).not.toHaveProperty('data')
    const next = decided({ ...recalled, data: { not: 'read' } })
    expect(await store.replace(recalled, next)).toEqual({ ...next, data: created.data, envelope })
    expect(await store.get(created.id)).toEqual({ ...next, data: created.data, envelope })
    // The recalled version is outdated now, and finished submissions are not cached.
    expect(await store.replace(recalled, next)).toBeNull()
    await store.replace(next, over(next))
    expect(store.recall(created.id)).toBeNull()
  })

  test('of five hundred and one, what was stored longest ago is not recalled', async () => {
    const all = Array.from({ length: 501 }, () => submission())
    for (const created of all) {
      await store.create(created)
      await store.replace(created, { ...created, version: 2, cards: [CARD] })
    }
    expect(all.filter(({ id }) => store.recall(id) === null)).toEqual([all[0]])
  })

  test('what another process was faster to store is not recalled as ours', async () => {
    const created = submission()
    await store.create(created)
    await store.replace(created, decided(created))
    expect(await store.replace(created, { ...created, version: 2, cards: [CARD] })).toBeNull()
    expect(store.recall(created.id)).toBeNull()
  })

  test.each<[string, (key: string) => Promise<unknown>]>([
    ['are gone', key => client.del(key)], ['are no JSON', key => client.set(key, '{"name":"Ada')],
    ['are a list', async (key) => { await client.del(key).then(() => client.lPush(key, 'Ada')) }],
  ])('what is recalled is not replaced once its data %s', async (_what, spoil) => {
    const created = submission()
    await store.create(created)
    await store.replace(created, { ...created, version: 2, cards: [CARD] })
    await spoil(`{triage}:d:${created.id}`)
    const recalled = store.recall(created.id)!
    expect(await store.replace(recalled, decided({ ...recalled, data: {} }))).toBeNull()
    const present = await store.get(created.id).catch((error: unknown) => error)
    expect(present instanceof UnreadableRecord ? present.record : present).toMatchObject({ version: 2, state: 'open' })
  })

  test('scripts that Redis forgot are loaded again', async () => {
    await client.scriptFlush()
    await store.create(submission())
    expect((await store.listPending({ limit: 1 })).total).toBe(1)
  })
})

describe('Redis submission store, without Redis', () => {
  /** Expects every call of the port to reject in time. */
  async function allReject(): Promise<void> {
    const some = submission()
    const calls: (() => Promise<unknown>)[] = [
      () => store.create(some), () => store.get(some.id), () => store.replace(some, decided(some)),
      () => store.replace(some, over(some), line(some.id)), () => store.lease(1, 1), () => store.forget(some.id),
      () => store.listPending({ limit: 1 }), () => store.audit(1), () => store.check(),
    ]
    await Promise.all(calls.map(async (call) => {
      expect(await took(() => expect(call()).rejects.toThrow(Error))).toBeLessThan(2_000)
    }))
  }

  const eventually = (what: () => Promise<unknown>) => vi.waitFor(what, { timeout: 60_000, interval: 20 })

  afterEach(() => store.close())

  test('every call rejects while Redis is stopped, and works again by itself', async () => {
    const own = await startRedis()
    connect(own.url)
    await store.check()
    await own.stop()
    await allReject()
    await allReject()
    endAfterTest(await startRedis(own.port))
    await eventually(() => store.check())
    expect(events).toEqual(['redis.unreachable', 'redis.reachable'])
    // A refused submission must not be stored later: its sender was told that it failed.
    expect((await client.keys('*')).filter(key => key !== '{triage}:probe')).toEqual([])
  })

  test('every call rejects while Redis is frozen, and works again by itself', async () => {
    await connected()
    server.pause()
    await allReject().finally(() => server.resume())
    await eventually(() => store.check())
  })

  test('a connection that stays silent under load is replaced', async () => {
    await connected()
    const socket = client.socketEpoch
    server.pause()
    // Every call writes, so the socket is never idle.
    const replaced = eventually(() => store.check().catch(() => expect(client.isReady).toBe(false)))
    await replaced.finally(() => server.resume())
    await eventually(() => store.check())
    expect(client.socketEpoch).toBeGreaterThan(socket)
    expect(events).toEqual(['redis.unreachable', 'redis.reachable'])
  })

  test('a close while Redis is frozen and a call waits neither throws nor hangs, and leaves no connection', async () => {
    await connected()
    const [observer, own] = [await connectRedis(server.url), await client.clientId()]
    server.pause()
    const calls = Promise.allSettled([store.check(), store.listPending({ limit: 1 })])
    await store.close().finally(() => server.resume())
    expect((await calls).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    await until('the connection gone', async () => !(await observer.clientList()).some(({ id }) => id === own))
    await observer.close()
  })
})

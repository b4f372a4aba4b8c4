import { execFile } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createClient } from 'redis'
import { beforeEach, describe, expect, test } from 'vitest'
import { RedisApprovals } from '../../server/adapters/redis/approvals'
import { RedisCardQueue } from '../../server/adapters/redis/card-queue'
import { createRedisDrafts } from '../../server/adapters/redis/drafts'
import { createRedisLimiter } from '../../server/adapters/redis/limiter'
import { RedisMessageQueue } from '../../server/adapters/redis/message-queue'
import { createChatState } from '../../server/adapters/redis/state'
import { createRedisStorage } from '../../server/adapters/redis/storage'
import { RedisStore } from '../../server/adapters/redis/store/store'
import { SqliteApprovals } from '../../server/adapters/sqlite/approvals'
import { SqliteCardQueue } from '../../server/adapters/sqlite/card-queue'
import { Database } from '../../server/adapters/sqlite/database'
import { createSqliteDrafts } from '../../server/adapters/sqlite/drafts'
import { createSqliteLimiter } from '../../server/adapters/sqlite/limiter'
import { SqliteMessageQueue } from '../../server/adapters/sqlite/message-queue'
import { SqliteState } from '../../server/adapters/sqlite/state'
import { createSqliteStorage } from '../../server/adapters/sqlite/storage'
import { SqliteStore } from '../../server/adapters/sqlite/store'
import { createHealthBook } from '../../server/adapters/storage/health'
import { createInstallations } from '../../server/adapters/storage/installations'
import { storeId } from '../../server/adapters/storage/store-id'
import { createTestReceipts } from '../../server/adapters/storage/test-receipts'
import { COPIED_TABLES } from '../../scripts/store/rows'
import { storeRules } from '../../server/domain/lifecycle/record'
import type { Submission } from '../../server/ports/submission'
import type { ApprovalDecision, WaitingTurn } from '../../server/ports/approvals'
import { line, over, submission } from '../fixtures/submissions'
import { endAfterTest, testFolder } from '../support/lifetime'
import { createRedis } from '../../server/adapters/redis/connection/client'
import { silentLog } from '../fakes/runtime'
import { connectRedis } from '../support/redis-client'
import { memoryDatabase } from '../support/sqlite'
import { ownRedis } from './stores'

const server = await ownRedis()
const target = `${server.url}/1`

/** Rules of a store, with limits that the forms of these tests do not reach */
const RULES = {
  ...storeRules, heldMax: 50, limit: { limit: 1000, windowS: 3600 }, limitMb: { limit: 1, windowS: 3600 },
}
const LIMIT = { limit: 3, windowS: 3600 }
const WAITING = { most: 1000, keptMs: 3_600_000 }
const PACE = { room: 'slack', intervalMs: 1_800_000 }

/** All ports of a store, and what closes them */
type Ports = Awaited<ReturnType<typeof openRedis>> | ReturnType<typeof openFile>

async function openRedis(url: string) {
  const client = await connectRedis(url)
  const state = createChatState(client)
  await state.connect()
  const store = new RedisStore(client, RULES)
  return {
    store, queues: new RedisCardQueue(client), drafts: createRedisDrafts(client), approvals: new RedisApprovals(client),
    messages: new RedisMessageQueue(client, WAITING), limiter: createRedisLimiter(client, LIMIT), state,
    storage: createRedisStorage(client), close: () => store.close(),
  }
}

function openFile(path: string) {
  const db = new Database(path)
  return {
    store: new SqliteStore(db, RULES), queues: new SqliteCardQueue(db), drafts: createSqliteDrafts(db),
    approvals: new SqliteApprovals(db), messages: new SqliteMessageQueue(db, WAITING),
    limiter: createSqliteLimiter(db, LIMIT), state: new SqliteState(db), storage: createSqliteStorage(db),
    close: () => db.close(),
  }
}

const open = (url: string) => url.startsWith('sqlite:') ? openFile(url.slice(7)) : openRedis(url)

const ids = Array.from({ length: 300 }, (_, at) => `form-${String(at).padStart(3, '0')}`)
const now = Date.now()
const APPROVED: ApprovalDecision = { approved: true, by: null, at: now }
const turn = (id: string): WaitingTurn => ({
  id, threadId: 'slack:C1:1', asker: { id: 'U1', name: 'Ada', platform: 'slack' }, expiresAt: now + 3_000_000,
  state: 'talk of ünïcode', calls: ['a', 'b'].map(call => (
    { approvalId: call, toolCallId: call, title: 'Forward', details: [] }
  )),
})

/** Puts something of everything that is kept into a store. */
async function fill({ store, queues, drafts, approvals, messages, limiter, state, storage }: Ports): Promise<void> {
  for (const [at, id] of ids.entries()) {
    const form = { id, receivedAt: now - at * 1000, expiresAt: now + 86_400_000, data: { 2: 'ü', name: id, 1: [] } }
    await store.create(submission(form), {
      idempotencyKey: `key ${at}`, fingerprint: 'abcd', client: '192.0.2.1', sender: '192.0.2.1',
      queues: at < 5 ? [PACE] : [],
    })
  }
  await store.create(submission({ id: 'held', state: 'held', expiresAt: now + 86_400_000 }))
  const [first, second] = [(await store.get('form-000'))!, (await store.get('form-001'))!]
  await store.replace(first, over(first), line(first.id, now))
  const edit = { data: { name: 'new' }, before: { name: 'old' }, edited: ['name'] }
  await store.replace(
    second, { ...second, ...edit, version: second.version + 1 }, line(second.id, now - 5000),
  )
  const email = { key: 'email#2', kind: 'email', attempts: 1, dueAt: now + 60_000 }
  const indexed: Record<string, Partial<Submission>> = {
    'form-010': { failures: [{ delivery: 'email', reason: 'no' }] }, 'form-011': { state: 'settling', work: [email] },
  }
  for (const [id, changes] of Object.entries(indexed)) {
    const kept = (await store.get(id))!
    await store.replace(kept, { ...kept, ...changes, version: kept.version + 1 })
  }
  await store.forget('form-002', { reviewer: { id: 'U1', name: 'Ada', platform: 'slack' }, at: now })
  await queues.enter('slack', { id: 'form-250', receivedAt: now - 250_000 })
  await queues.pause('discord', 1_800_000)
  await queues.takeNotice('discord', 'closed')
  await drafts.save('form-003', 'draft', 'half a text', 3_600_000)
  for (const id of ['one', 'two']) await approvals.keep(turn(id))
  const card = { platform: 'slack', threadId: 'slack:C1:1', messageId: '1' }
  for (const id of ['one', 'two']) await approvals.attach(id, [card, null])
  await approvals.decide('one', 1, APPROVED, now + 60_000)
  await approvals.decide('two', null, APPROVED, now + 60_000)
  for (const text of ['first', 'second', 'ü']) await messages.add('slack:C1:2', text)
  await messages.first('slack:C1:2')
  await limiter.take('192.0.2.9', 2)
  await state.subscribe('slack:C1:1')
  await state.set('for ever', { ü: [1, null] })
  await state.set('for a while', 'text', 3_600_000)
  for (const each of ['x', 'y', 'z']) await state.appendToList('history', each, { maxLength: 2, ttlMs: 3_600_000 })
  await state.enqueue('slack:C1:3', { enqueuedAt: now, expiresAt: now + 3_600_000, message: { id: '1' } as never }, 5)
  await createInstallations(storage).learn('slack', { channel: 'C1', within: 'T1' })
  await createHealthBook(storage).note('mailer', now, 'refused')
  await createTestReceipts(storage).keep('m1', { verdict: 'delivered' })
  await storeId(storage)
}

/** Answers of the ports about all that `fill` put there */
async function answersOf({ store, queues, drafts, approvals, messages, limiter, state, storage }: Ports) {
  const answers = {
    submissions: await Promise.all([...ids, 'held'].map(id => store.get(id))),
    pending: await store.listPending({ limit: 1000 }), held: await store.listPending({ limit: 9, only: 'held' }),
    stuck: await store.stuck(9), retrying: await store.listRecords({ limit: 9, only: 'retrying' }),
    upcoming: (await store.upcoming(now + 1e10, 1000)).toSorted(),
    audit: (await store.audit(9)).toSorted((a, b) => a.id < b.id ? -1 : 1), tally: await store.tally(now),
    backlog: await store.backlog(now), waiting: await queues.length('slack'),
    turn: (({ waitMs }) => [waitMs! > 600_000, waitMs! <= 1_800_000])(await queues.take(PACE) as { waitMs: number }),
    notice: await queues.takeNotice('discord', 'closed'),
    drafts: [await drafts.load('form-003', 'draft'), await drafts.load('form-000', 'draft')],
    approvals: [await approvals.get('one'), await approvals.get('two'), await approvals.kept(9)],
    message: await messages.first('slack:C1:2'), stalled: await messages.stalled(0, 9),
    // The third act is within the limit, the fourth is not.
    limits: [await limiter.take('192.0.2.9'), await limiter.take('192.0.2.9') > 1_800_000],
    state: [
      await state.isSubscribed('slack:C1:1'), await state.isSubscribed('slack:C1:9'), await state.get('for ever'),
      await state.get('for a while'), await state.getList('history'), await state.queueDepth('slack:C1:3'),
      await state.dequeue('slack:C1:3'),
    ],
    small: [
      await createInstallations(storage).find('slack'), await createHealthBook(storage).read(),
      await createTestReceipts(storage).of('m1'), await storeId(storage),
    ],
    again: await store.create(submission({ id: 'another' }), { idempotencyKey: 'key 7', fingerprint: 'abcd' }),
  }
  // The order of cards
  await queues.pause('slack', 0)
  const order: (string | null)[] = []
  for (let left = await queues.length('slack'); left > 0; left--) {
    order.push((await queues.take(PACE)).id)
    await queues.pause('slack', 0)
  }
  return { ...answers, order }
}

async function openAnswersOf(url: string) {
  const ports = await open(url)
  const answers = await answersOf(ports)
  await ports.close()
  return answers
}

/** Runs the command as people do. */
async function copy(from: string, to: string): Promise<{ code: number, output: string }> {
  return promisify(execFile)(process.execPath, ['scripts/store.mjs', 'copy', from, to]).then(
    ({ stdout }) => ({ code: 0, output: stdout }),
    ({ code, stderr }: { code: number, stderr: string }) => ({ code, output: stderr }),
  )
}

/** Uses a Redis as an operator does: without the name that a service gives its connection. */
async function withClient<T>(url: string, use: (client: ReturnType<typeof createClient>) => Promise<T>): Promise<T> {
  const client = createClient({ url })
  await client.connect()
  return use(client).finally(() => client.destroy())
}

/** Returns all keys of a Redis, each with its content, scores and end. */
async function contentOf(url: string): Promise<Record<string, unknown>> {
  return withClient(url, async (client) => {
    const readers: Record<string, (key: string) => Promise<unknown>> = {
      string: key => client.get(key), list: key => client.lRange(key, 0, -1), set: key => client.sMembers(key),
      hash: key => client.hGetAll(key),
      // The order of cards is kept, but not their µs.
      zset: key => key.endsWith(':waiting') ? client.zRange(key, 0, -1) : client.zRangeWithScores(key, 0, -1),
    }
    const keys = (await client.keys('*')).filter(key => !/:(?:revision|probe.*)$/.test(key)).toSorted()
    return Object.fromEntries(await Promise.all(keys.map(async key => [
      key, [await readers[await client.type(key)]!(key), await client.pExpireTime(key)],
    ] as const)))
  })
}

let folder: string
const file = (name: string) => `sqlite:${join(folder, name)}`

beforeEach(async () => {
  folder = testFolder()
  await withClient(server.url, client => client.flushAll())
})

describe('a copy', () => {
  const URLS = {
    'a file': () => file('a.db'), 'another file': () => file('b.db'), 'Redis': () => server.url,
    'another Redis': () => target,
  }

  test.each([
    ['a file', 'Redis'], ['Redis', 'a file'], ['a file', 'another file'], ['Redis', 'another Redis'],
  ] as const)('from %s to %s answers as the first does', async (from, to) => {
    const [fromUrl, toUrl] = [URLS[from], URLS[to]]
    const source = await open(fromUrl())
    await fill(source)
    await source.close()
    const { code, output } = await copy(fromUrl(), toUrl())
    expect([code, output]).toEqual([0, expect.stringMatching(/300 submissions\n/)])
    expect(await openAnswersOf(toUrl())).toEqual(await openAnswersOf(fromUrl()))
  })
  test('to a file and back keeps every value and its end', async () => {
    const source = await open(server.url)
    await fill(source)
    await source.close()
    expect(await copy(server.url, file('a.db'))).toMatchObject({ code: 0 })
    expect(await copy(file('a.db'), target)).toMatchObject({ code: 0 })
    expect(await contentOf(target)).toEqual(await contentOf(server.url))
  })

  test('says when not everything has arrived, and the target stays unusable', async () => {
    const db = new Database(join(folder, 'a.db'))
    const twice = 'INSERT INTO audit (at, line, until) VALUES (?1, \'{}\', ?2), (?1, \'{}\', ?2)'
    await db.write(() => db.run(twice, now, now + 86_400_000))
    await db.close()
    expect(await copy(file('a.db'), server.url)).toEqual({
      code: 1, output: 'Of 2 rows of audit, 1 arrived. Repeat the copy.\n',
    })
    expect(await withClient(server.url, client => client.exists('{triage}:copying'))).toBe(1)
  })

  test('to what is not empty is refused, and changes nothing', async () => {
    await withClient(server.url, client => client.set('{triage}:d:a', '{}'))
    const existing = openFile(join(folder, 'a.db'))
    await existing.close()
    expect(await copy(file('a.db'), server.url)).toEqual({
      code: 1, output: `${new URL(server.url).host} is not empty. Name an empty database of Redis.\n`,
    })
    const { code, output } = await copy(server.url, file('a.db'))
    expect([code, output]).toEqual([1, `${join(folder, 'a.db')} exists. Name a new file.\n`])
    expect(await withClient(server.url, client => client.keys('*'))).toEqual(['{triage}:d:a'])
  })

  test.each([
    ['sqlite:', 'redis://127.0.0.1:1', 'A store is sqlite:<path of a file>, redis://… or rediss://…'],
    ['sqlite:/nowhere/a.db', 'sqlite:/nowhere/b.db', '/nowhere/a.db does not exist.'],
    ['redis://127.0.0.1:1', 'redis://127.0.0.1:2', 'connect ECONNREFUSED 127.0.0.1:1'],
    ['sqlite:a.db', '', 'npm run store -- copy <from> <to>'],
  ])('from %s to %s says what is wrong', async (from, to, text) => {
    const { code, output } = await copy(from, to)
    expect([code, output]).toEqual([1, expect.stringContaining(text)])
  })

  test('while a service runs on one of the stores is refused', async () => {
    const service = await open(server.url)
    const text = 'A service uses one of the two stores. Stop all its processes, and repeat the copy.\n'
    expect(await copy(server.url, file('a.db'))).toEqual({ code: 1, output: text })
    await service.close()
    const path = join(folder, 'c.db')
    const fileService = endAfterTest(openFile(path))
    expect(await copy(file('c.db'), server.url)).toEqual({
      code: 1, output: expect.stringContaining(`in use by another process (${process.pid})`) as string,
    })
    await fileService.close()
    expect(await copy(file('c.db'), server.url)).toMatchObject({ code: 0 })
  })

  test('that a service of another database of the same Redis does not use is made', async () => {
    const other = await open(target)
    expect(await copy(server.url, file('a.db'))).toMatchObject({ code: 0 })
    await other.close()
  })
})

describe('half a copy', () => {
  beforeEach(async () => {
    const source = openFile(join(folder, 'whole.db'))
    await fill(source)
    await source.close()
    // A record of another type ends the copy from Redis in its middle.
    expect(await copy(file('whole.db'), server.url)).toMatchObject({ code: 0 })
    await withClient(server.url, async (client) => {
      await client.set('{triage}:s:broken', 'x')
    })
  })

  test('in Redis is refused by a service, and can be repeated', async () => {
    const { code, output } = await copy(server.url, target)
    expect([code, output]).toEqual([1, expect.stringContaining('WRONGTYPE')])
    const client = createRedis(target, silentLog)
    const store = new RedisStore(client, RULES)
    await expect(store.create(submission({ id: 'lost' }))).rejects.toThrow()
    expect(await store.check()).toMatch(/^Redis has only half of a copy/)
    await store.close()
    expect((await withClient(target, client => client.exists('{triage}:s:lost')))).toBe(0)

    await withClient(server.url, client => client.del('{triage}:s:broken'))
    expect(await copy(server.url, target)).toMatchObject({ code: 0 })
    expect(await contentOf(target)).toEqual(await contentOf(server.url))
  })

  test('is not yet the file that was named, and can be repeated', async () => {
    expect(await copy(server.url, file('a.db'))).toMatchObject({ code: 1 })
    expect(existsSync(join(folder, 'a.db'))).toBe(false)
    await withClient(server.url, client => client.del('{triage}:s:broken'))
    expect(await copy(server.url, file('a.db'))).toMatchObject({ code: 0 })
    expect(readdirSync(folder).filter(name => name.startsWith('a.db.copy'))).toEqual([])
    expect(await openAnswersOf(file('a.db'))).toEqual(await openAnswersOf(server.url))
  })
})

test('each table of SQLite is copied, but for locks and what triggers write', () => {
  const query = 'SELECT name FROM sqlite_schema WHERE type = \'table\''
  const tables = memoryDatabase().all<{ name: string }>(query).map(({ name }) => name)
  expect(tables.toSorted()).toEqual([...COPIED_TABLES, 'contents', 'chat_locks', 'queues'].toSorted())
})

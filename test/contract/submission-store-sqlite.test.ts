import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { Database } from '../../server/adapters/sqlite/database'
import { SqliteStore } from '../../server/adapters/sqlite/store'
import { dataLivesUntil, storeRules } from '../../server/domain/lifecycle/record'
import { StoreFull, StoreUnusable } from '../../server/ports/store'
import { decided, hostileData, line, over, submission, work } from '../fixtures/submissions'
import { testFolder } from '../support/lifetime'
import { fileDatabase } from '../support/sqlite'
import { sqliteStore } from './stores'
import { submissionStoreContract } from './submission-store'

const DAY_MS = 24 * 60 * 60 * 1000

submissionStoreContract('SQLite', async () => ({ ...sqliteStore(), close: async () => {} }))

describe('SQLite submission store, on disk', () => {
  let path: string
  let now: number
  const open = () => {
    const db = fileDatabase(path, () => now)
    return { db, store: new SqliteStore(db, storeRules) }
  }
  /** Everything in the files. */
  const content = () => ['', '-wal'].map(suffix => readFileSync(path + suffix, 'latin1')).join()

  beforeEach(() => {
    path = join(testFolder(), 'data/forms.db')
    now = Date.now()
  })

  test('a restart loses nothing', async () => {
    const [kept, gone, done] = [submission({ data: hostileData(), work: [work(now)] }), submission(), submission()]
    const before = open()
    for (const each of [kept, gone, done]) await before.store.create(each)
    const trace = line(gone.id)
    const ended = over(gone)
    await before.store.replace(gone, ended, trace)
    await before.store.replace(done, decided(done))
    await before.db.close()
    const { store } = open()
    expect(JSON.stringify((await store.get(kept.id))?.data)).toBe(JSON.stringify(kept.data))
    expect(
      (await store.listPending({ limit: 10 })).submissions.map(({ id }) => id).sort(),
    ).toEqual([kept.id, done.id].sort())
    expect(await store.lease(1, 10)).toEqual([kept.id])
    expect(await store.get(gone.id)).toEqual(ended)
    expect(await store.audit(10)).toEqual([trace])
    expect(await store.replace(done, decided(done))).toBeNull()
  })

  test('form data is gone from the files soon after exactly its time, and the record eight days later', async () => {
    const form = { secret: 'only-here' }
    const created = submission({ data: form, envelope: { subject: 'only-here' }, before: form })
    const { db, store } = open()
    await store.create(created)
    expect(content()).toContain('only-here')
    now = dataLivesUntil(created) - 1
    expect(await store.get(created.id)).toEqual(created)
    now++
    expect(await store.get(created.id)).toEqual({ ...created, data: null, envelope: undefined, before: undefined })
    await db.tidy()
    expect(content()).not.toContain('only-here')
    now += 8 * DAY_MS
    expect(await store.get(created.id)).toBeNull()
    await db.tidy()
    expect(content()).not.toContain(created.id)
  })

  test('what a decision erases, and what an edit replaces, is in no file a second later', async () => {
    const { db, store } = open()
    const edited = submission({ data: { text: 'first words' } })
    const erased = submission({ data: { text: 'erased words' } })
    for (const each of [edited, erased]) await store.create(each)
    await store.replace(edited, decided(edited, { data: { text: 'second words' } }))
    await store.replace(erased, over(erased))
    await db.tidy()
    expect(content()).toContain('second words')
    expect(content()).not.toMatch(/first words|erased words/)
  })

  test('a trace is kept for 7 days after its last change, also over a restart', async () => {
    const created = submission()
    const [before, start] = [open(), now]
    await before.store.create(created)
    const ended = over(created)
    await before.store.replace(created, ended)
    now += 1000
    const news = over(created, { version: 3, cards: [{ platform: 'slack', threadId: 't', messageId: 'm' }] })
    expect(await before.store.replace(ended, news)).not.toBeNull()
    await before.db.close()
    now = start + 1000 + 7 * DAY_MS - 1
    const { store } = open()
    expect(await store.get(created.id)).toEqual(news)
    now++
    expect(await store.get(created.id)).toBeNull()
  })

  test('an end that a decision puts off while it is reached is not made', async () => {
    const { db, store } = open()
    const created = submission()
    await store.create(created)
    const late = decided(created, {
      data: { name: 'Eve' }, decision: { ...decided(created).decision!, at: dataLivesUntil(created) - 1 },
    })
    const stored = store.replace(created, late)
    now = dataLivesUntil(created)
    expect([await stored, await db.tidy().then(() => store.get(created.id))]).toEqual([late, late])
  })

  test('of fifty writes of one turn a failing one is undone alone', async () => {
    const { db, store } = open()
    const all = Array.from({ length: 50 }, () => submission())
    const results = await Promise.allSettled([
      ...all.slice(0, 25).map(each => store.create(each)),
      db.write(() => {
        db.run('DELETE FROM submissions')
        throw new Error('a bug')
      }),
      ...all.slice(25).map(each => store.create(each)),
    ])
    expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(1)
    expect((await store.listPending({ limit: 100 })).total).toBe(50)
  })

  test('a full disk refuses writes, is named, and is over as soon as there is room', async () => {
    const { db, store } = open()
    const [kept, refused] = [submission(), submission({ data: { text: 'x'.repeat(100_000) } })]
    await store.create(kept)
    expect(await store.check()).toBeNull()
    const pages = db.get<{ page_count: number }>('PRAGMA page_count')!.page_count
    db.get(`PRAGMA max_page_count = ${pages}`)
    await expect(store.create(refused)).rejects.toThrow(StoreFull)
    expect(await store.get(refused.id)).toBeNull()
    expect(await store.get(kept.id)).toEqual(kept)
    db.get('PRAGMA max_page_count = 1000000')
    expect(await store.check()).toBeNull()
    await store.create(refused)
    expect(await store.get(refused.id)).toEqual(refused)
  })

  test('a commit without a change does not end the state of a full disk: the next check writes', async () => {
    const { db, store } = open()
    const pages = db.get<{ page_count: number }>('PRAGMA page_count')!.page_count
    db.get(`PRAGMA max_page_count = ${pages}`)
    await expect(store.create(submission({ data: { text: 'x'.repeat(100_000) } }))).rejects.toThrow(StoreFull)
    await db.write(() => db.run('DELETE FROM cards'))
    await store.check()
    expect(db.get('SELECT 1 FROM pairs WHERE key = \'probe\'')).toBeDefined()
  })

  test('a file that is open is refused, and says who has it; once it is closed it is free', async () => {
    const { db, store } = open()
    await store.create(submission())
    expect(() => new Database(path)).toThrow(`in use by another process (${process.pid})`)
    await db.close()
    expect((await open().store.listPending({ limit: 1 })).total).toBe(1)
  })

  test('a damaged file, one of another program and one of a newer version stop the start, and say what to do', async () => {
    const { db, store } = open()
    await store.create(submission())
    await db.close()
    const bytes = readFileSync(path)
    writeFileSync(path, Buffer.concat([bytes.subarray(0, 4096), Buffer.alloc(8192, 7), bytes.subarray(12_288)]))
    expect(() => new Database(path)).toThrow(/damaged.*\.recover/)
    writeFileSync(path, 'This is no database.'.repeat(500))
    expect(() => new Database(path)).toThrow(StoreUnusable)
    writeFileSync(path, bytes)
    const other = fileDatabase(path)
    other.get('PRAGMA user_version = 99')
    await other.close()
    expect(() => new Database(path)).toThrow(/newer version/)
    const newer = readFileSync(path)
    newer.writeUInt32BE(1, 68)
    writeFileSync(path, newer)
    expect(() => new Database(path)).toThrow(/another program/)
  })

  test('of the audit trail the newest 100,000 lines are kept', async () => {
    const { db, store } = open()
    const created = submission()
    await store.create(created)
    await db.write(() => db.run(`
      INSERT INTO audit (at, line, until) WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 100000)
      SELECT ?, '"old"', ? FROM n`, now, now + DAY_MS))
    await store.replace(created, over(created), line(created.id, now))
    expect(db.get('SELECT count(*) AS count FROM audit')).toEqual({ count: 100_000 })
  })
})

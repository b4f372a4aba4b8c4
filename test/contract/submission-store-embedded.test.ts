import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { createStorage } from 'unstorage'
import { AuditTrail } from '../../server/adapters/embedded/indexes'
import { EmbeddedStore } from '../../server/adapters/embedded/store'
import { dataLivesUntil, storeRules } from '../../server/domain/lifecycle/record'
import type { AuditLine } from '../../server/ports/submission'
import { decided, hostileData, line, over, submission, work } from '../fixtures/submissions'
import { testFolder } from '../support/lifetime'
import { embeddedStore } from './stores'
import { submissionStoreContract } from './submission-store'

const DAY_MS = 24 * 60 * 60 * 1000

submissionStoreContract('Embedded', async () => ({ ...embeddedStore(), close: async () => {} }))

describe('Embedded submission store, on disk', () => {
  let dir: string
  let now: number
  const open = () => new EmbeddedStore({ dir, ...storeRules, now: () => now })

  beforeEach(async () => {
    dir = testFolder()
    now = Date.now()
  })

  test('a restart loses nothing', async () => {
    const [kept, gone, done] = [submission({ data: hostileData(), work: [work(now)] }), submission(), submission()]
    const before = open()
    for (const each of [kept, gone, done]) await before.create(each)
    const trace = line(gone.id)
    const ended = over(gone)
    await before.replace(gone, ended, trace)
    await before.replace(done, decided(done))
    await before.close()
    const after = open()
    expect(JSON.stringify((await after.get(kept.id))?.data)).toBe(JSON.stringify(kept.data))
    expect(
      (await after.listPending({ limit: 10 })).submissions.map(({ id }) => id).sort(),
    ).toEqual([kept.id, done.id].sort())
    expect(await after.lease(1, 10)).toEqual([kept.id])
    expect(await after.get(gone.id)).toEqual(ended)
    expect(await after.audit(10)).toEqual([trace])
    expect(await after.replace(done, decided(done))).toBeNull()
  })

  test('form data is erased from the disk at exactly its time, and the record eight days later', async () => {
    const form = { secret: 'only-here' }
    const created = submission({ data: form, envelope: { subject: 'only-here' }, before: form })
    const [embedded, path] = [open(), join(dir, 'submission', created.id)]
    await embedded.create(created)
    now = dataLivesUntil(created) - 1
    expect(await embedded.get(created.id)).toEqual(created)
    now++
    expect(await embedded.get(created.id)).toEqual({ ...created, data: null, envelope: undefined, before: undefined })
    expect(await readFile(path, 'utf8')).not.toContain('only-here')
    now += 8 * DAY_MS
    expect(await embedded.get(created.id)).toBeNull()
    expect(await files(dir)).toEqual([])
  })

  test('a trace is kept for 7 days after its last change, also over a restart, and then gone from the disk', async () => {
    const created = submission()
    const [before, start] = [open(), now]
    await before.create(created)
    const ended = over(created)
    await before.replace(created, ended)
    now += 1000
    const news = over(created, { version: 3, cards: [{ platform: 'slack', threadId: 't', messageId: 'm' }] })
    expect(await before.replace(ended, news)).not.toBeNull()
    now = start + 1000 + 7 * DAY_MS - 1
    const after = open()
    expect(await after.get(created.id)).toEqual(news)
    now++
    await open().check()
    expect(await files(dir)).toEqual([])
    expect(await after.get(created.id)).toBeNull()
    const other = submission({ receivedAt: now })
    await after.create(other)
    await after.replace(other, over(other))
    expect(await files(dir)).toEqual([join('submission', other.id)])
  })

  test('an end that a decision puts off while it is reached is not made', async () => {
    const [embedded, created] = [open(), submission()]
    await embedded.create(created)
    now = dataLivesUntil(created)
    const late = decided(created, { data: { name: 'Eve' }, decision: { ...decided(created).decision!, at: now - 1 } })
    const [stored, seen] = await Promise.all([embedded.replace(created, late), embedded.get(created.id)])
    expect([stored, seen, await embedded.get(created.id)]).toEqual([late, late, late])
  })

  test('a step is made with its audit line or not at all, and what is made in its place has the only line', async () => {
    const [embedded, created] = [open(), submission()]
    await embedded.create(created)
    for (const name of [`audit-${created.id}.1`, `submission-${created.id}`]) {
      const inTheWay = join(dir, 'unfinished', name)
      await mkdir(inTheWay)
      await expect(embedded.replace(created, over(created), line(created.id))).rejects.toThrow('EISDIR')
      expect(await embedded.get(created.id)).toEqual(created)
      await rm(inTheWay, { recursive: true })
    }
    const other: AuditLine = { ...line(created.id), outcome: 'spam' }
    expect(await embedded.replace(created, over(created), other)).not.toBeNull()
    expect([await embedded.audit(10), await open().audit(10)]).toEqual([[other], [other]])
  })

  test('a half-written change of a killed process is dropped, the old one stays', async () => {
    const created = submission()
    await open().create(created)
    const unfinished = join(dir, 'unfinished', 'submission-half')
    await writeFile(unfinished, '{"data":{"secret')
    expect(await open().get(created.id)).toEqual(created)
    await expect(readFile(unfinished)).rejects.toThrow('ENOENT')
  })

  test('an unreadable file is named', async () => {
    const created = submission()
    await open().create(created)
    await writeFile(join(dir, 'submission', created.id), '{"id":')
    await expect(open().check()).rejects.toThrow(`Cannot read "submission/${created.id}" in ${dir}`)
  })
})

test('of the audit trail without Redis the newest 10,000 lines are kept, with their files', async () => {
  const [storage, now] = [createStorage(), Date.now()]
  const trail = new AuditTrail(storage)
  await trail.add(line('first', now), 1)
  for (let index = 1; index < 10_000; index++) trail.restore(`audit:${index}.1`, line(`${index}`, now + index))
  expect(trail.newest(20_000)).toHaveLength(10_000)
  await trail.add(line('last', now + 10_000), 1)
  const lines = trail.newest(20_000)
  expect([lines.length, lines[0]!.id, lines.at(-1)!.id]).toEqual([10_000, 'last', '1'])
  expect(await storage.getKeys()).toEqual(['audit:last.1'])
})

async function files(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true })
  return entries.filter(entry => entry.isFile()).map(entry => join(entry.parentPath, entry.name).slice(dir.length + 1))
}

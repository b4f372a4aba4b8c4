import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { SubmissionStore } from '../../server/ports/store'
import type { AuditLine, Submission, Work } from '../../server/ports/submission'
import { cursorAt } from '../../shared/utils/cursor'
import { decided, hostileData, line, over, submission, work } from '../fixtures/submissions'
import { until } from '../support/until'

/** Empty store. */
interface Harness { store: SubmissionStore, close(): Promise<void> }

/** Lease time that is longer than any test, ms. */
const LONG_MS = 60_000

/** Contract of every `SubmissionStore`. `makeStore` is called for every test. */
export function submissionStoreContract(name: string, makeStore: () => Promise<Harness>): void {
  describe(`${name} submission store`, () => {
    let harness: Harness
    let store: SubmissionStore

    beforeEach(async () => {
      harness = await makeStore()
      store = harness.store
    })
    afterEach(() => harness.close())

    const ids = (submissions: Submission[]) => submissions.map(({ id }) => id)
    const newestFirst = (submissions: Submission[]) => [...submissions].sort((a, b) => b.receivedAt - a.receivedAt
      || (a.id < b.id ? 1 : -1))

    async function create(changes: Partial<Submission> = {}): Promise<Submission> {
      const created = submission(changes)
      await store.create(created)
      return created
    }

    /** Reads all pages; `between` runs before each next page. */
    async function pages(
      limit: number, between: (page: Submission[]) => Promise<void> = async () => {}, sort?: 'oldest',
    ): Promise<string[]> {
      const seen: string[] = []
      for (let before: string | undefined; ;) {
        const page = await store.listPending({ limit, before, sort })
        seen.push(...ids(page.submissions))
        if (page.cursor === null) return seen
        before = page.cursor
        await between(page.submissions)
      }
    }

    test('a created submission comes back as it was, hostile keys included', async () => {
      const created = await create({
        data: hostileData(), envelope: { subject: 'Engines', replyTo: 'ada@example.com' },
        edited: ['__proto__'], before: hostileData(), delivered: ['email'], reminded: false,
        failures: [{ delivery: 'endpoint', reason: 'The endpoint answered 500.' }],
        cards: [{ platform: 'slack', threadId: 'slack:C1', messageId: '1.2' }],
      })
      const stored = await store.get(created.id)
      expect(JSON.stringify(stored?.data)).toBe(JSON.stringify(created.data))
      expect({ ...stored, data: null }).toEqual({ ...created, data: null })
      expect(({} as Record<string, unknown>).polluted).toBeUndefined()
    })

    test('an id is created once', async () => {
      const created = await create()
      await expect(store.create({ ...created, data: { name: 'Eve' } })).rejects.toThrow('exists already')
      expect(await store.get(created.id)).toEqual(created)
    })

    test('fifty claims of one version at once are one claim', async () => {
      const created = await create()
      const claims = Array.from({ length: 50 }, (_, index) => decided(created, { data: { winner: index } }))
      const won = await Promise.all(claims.map(next => store.replace(created, next)))
      expect(won.filter(Boolean)).toHaveLength(1)
      expect(await store.get(created.id)).toEqual(won.find(Boolean))
    })

    test('data is kept, rewritten or erased as the replacement says', async () => {
      const created = await create({ data: hostileData() })
      let stored = created
      for (const data of [created.data, { name: 'Eve' }, null]) {
        const next = decided(stored, { data })
        expect(await store.replace(stored, next)).not.toBeNull()
        stored = (await store.get(created.id))!
        expect(JSON.stringify(stored.data)).toBe(JSON.stringify(data))
        expect({ ...stored, data }).toEqual(next)
      }
    })

    test('what is not stored is null and is not replaced, whatever its id looks like', async () => {
      for (const id of [
        '', '.', '..', '../../etc/passwd', '__proto__', 'a:b', 'a*', '\0', '%2e%2e', 'x'.repeat(5_000),
      ]) {
        const absent = submission({ id })
        expect(await store.get(id)).toBeNull()
        expect(await store.replace(absent, decided(absent))).toBeNull()
        expect(await store.replace(absent, over(absent), line(id))).toBeNull()
      }
      expect(await store.audit(10)).toEqual([])
    })

    test('the audit is newest first, and forgets after thirty days', async () => {
      const [lines, now]: [AuditLine[], number] = [[], Date.now()]
      for (const age of [2_000, 31 * 24 * 60 * 60 * 1000, 1_000, 3_000, 31 * 24 * 60 * 60 * 1000]) {
        const created = await create()
        lines.push(line(created.id, now - age))
        expect(await store.replace(created, over(created), lines.at(-1)!)).not.toBeNull()
      }
      expect(await store.audit(10)).toEqual([lines[2], lines[0], lines[3]])
      expect(await store.audit(2)).toEqual([lines[2], lines[0]])
      expect(await store.audit(Infinity)).toEqual([lines[2], lines[0], lines[3]])
      expect(await store.audit(Infinity, lines[0]!.at)).toEqual([lines[2], lines[0]])
      expect([await store.audit(1, lines[0]!.at), await store.audit(10, now)]).toEqual([[lines[2]], []])
    })

    test('what waits or is being delivered is listed newest first; what expired, or is delivered, is not', async () => {
      const now = Date.now()
      const [old, young, middle] = [
        await create({ receivedAt: now - 20 }), await create({ receivedAt: now }),
        await create({ receivedAt: now - 10 }),
      ]
      expect(await store.listPending({ limit: 10 })).toEqual({
        submissions: [young, middle, old], total: 3, cursor: null,
      })
      const claimed = decided(middle)
      await store.replace(middle, claimed)
      expect(await store.listPending({ limit: 10 })).toEqual({
        submissions: [young, claimed, old], total: 3, cursor: null,
      })
      await store.replace(claimed, { ...claimed, version: 3, state: 'expired', data: null })
      expect(await store.listPending({ limit: 10 })).toEqual({ submissions: [young, old], total: 2, cursor: null })
      await store.replace(old, { ...old, version: 2, state: 'settled' })
      expect(await store.listPending({ limit: 10 })).toEqual({ submissions: [young], total: 1, cursor: null })
    })

    test('pages stay exact while submissions arrive, leave, and the one under the cursor ends', async () => {
      const receivedAt = Date.now()
      const all = Array.from({ length: 60 }, () => submission({ receivedAt }))
      await Promise.all(all.map(each => store.create(each)))
      const seen = await pages(7, async (page) => {
        await create({ receivedAt: receivedAt + 1 })
        for (const each of [page[0]!, page.at(-1)!]) await store.replace(each, over(each), line(each.id))
      })
      expect(seen).toEqual(ids(newestFirst(all)))
      expect((await store.listPending({ limit: 1 })).total).toBe((await pages(50)).length)
    })

    test('the oldest come first where that is asked for, and any submission is a place to go on from', async () => {
      const receivedAt = Date.now()
      const all = Array.from({ length: 20 }, (_, index) => submission({ receivedAt: receivedAt + (index >> 1) }))
      await Promise.all(all.map(each => store.create(each)))
      const oldestFirst = newestFirst(all).toReversed()
      expect(await pages(7, undefined, 'oldest')).toEqual(ids(oldestFirst))
      for (const [sort, sorted] of [['oldest', oldestFirst], ['newest', newestFirst(all)]] as const) {
        const before = cursorAt(sorted[4]!.receivedAt, sorted[4]!.id)
        expect(ids((await store.listPending({ limit: 3, before, sort })).submissions)).toEqual(ids(sorted.slice(5, 8)))
      }
    })

    test('a cursor that the list never gave out starts at the top', async () => {
      const page = { submissions: [await create()], total: 1, cursor: null }
      for (const before of ['nonsense', '-', 'NaN-x', '']) expect(
        await store.listPending({ limit: 1, before }),
      ).toEqual(page)
    })

    test('what is due is leased earliest first, to one caller, until the lease ends', async () => {
      const now = Date.now()
      const [third, first, second] = [
        await create({ work: [work(now - 1)] }), await create({ work: [work(now - 3)] }),
        await create({ work: [work(now - 2)] }),
      ]
      await create({ work: [work(now + LONG_MS)] })
      expect(await store.lease(LONG_MS, 2)).toEqual([first.id, second.id])
      expect(await store.lease(50, 2)).toEqual([third.id])
      await until('the end of the lease', async () => (await store.lease(LONG_MS, 10)).join() === third.id)
    })

    test('ten sweeps at once share what is due without overlap', async () => {
      await Promise.all(Array.from({ length: 100 }, () => create({ work: [work(Date.now() - 1)] })))
      const leased = (await Promise.all(Array.from({ length: 10 }, () => store.lease(LONG_MS, 20)))).flat()
      expect([leased.length, new Set(leased).size]).toEqual([100, 100])
    })

    test('a replacement is due when it says, not when its lease ends', async () => {
      const now = Date.now()
      const created = await create({ work: [work(now)] })
      expect(await store.lease(LONG_MS, 1)).toEqual([created.id])
      const soon: Submission = { ...created, version: 2, work: [work(now + 300)] }
      await store.replace(created, soon)
      await until('its time', async () => (await store.lease(0, 1)).includes(created.id))
      expect(Date.now()).toBeGreaterThanOrEqual(now + 300)
      await store.replace(soon, decided(soon, { work: [] }))
      expect(await store.lease(LONG_MS, 1)).toEqual([])
    })

    test('data is there until the moment it expires and gone from then on, while the record stays', async () => {
      let livesMs = 500
      const { created, seen } = await until('one that is stored before its end', async () => {
        livesMs *= 2
        const created = await create({ expiresAt: Date.now() + livesMs })
        const seen = new Set<string>()
        while (Date.now() <= created.expiresAt) {
          const stored = await store.get(created.id)
          if (Date.now() < created.expiresAt) seen.add(JSON.stringify(stored?.data))
        }
        return seen.size > 0 && { created, seen }
      })
      expect([...seen]).toEqual([JSON.stringify(created.data)])
      expect(await store.get(created.id)).toEqual({ ...created, data: null })
      expect((await store.listPending({ limit: 1 })).submissions).toEqual([{ ...created, data: null }])
      const update: Work = { key: 'update', kind: 'update', attempts: 0, dueAt: Date.now() }
      const expired: Submission = { ...created, version: 2, state: 'expired', data: null, work: [update] }
      expect(await store.replace({ ...created, data: null }, expired)).not.toBeNull()
      expect(await store.get(created.id)).toEqual(expired)
    })

    test('a forgotten id is neither listed nor leased', async () => {
      const created = await create({ work: [work(Date.now() - 1)] })
      const other = await create()
      const decision = { ...decided(other).decision!, action: 'spam' as const }
      const spam = decided(other, { state: 'settled', decision, revocableUntil: Date.now() + LONG_MS })
      await store.replace(other, spam)
      for (const { id } of [created, spam]) await store.forget(id)
      for (const only of [undefined, 'spam'] as const) {
        expect(await store.listPending({ limit: 10, only })).toEqual({ submissions: [], total: 0, cursor: null })
      }
      expect(await store.lease(LONG_MS, 10)).toEqual([])
    })
  })
}

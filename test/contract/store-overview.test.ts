import { beforeEach, describe, expect, test } from 'vitest'
import { HEARTBEAT_MS, type SubmissionStore } from '../../server/ports/store'
import type { AuditLine, Decision, Submission } from '../../server/ports/submission'
import { decided, line, over, submission } from '../fixtures/submissions'
import { until } from '../support/until'
import { ownRedis, redisStore, sqliteStore } from './stores'

const HOUR_MS = 60 * 60 * 1000

const server = await ownRedis()

/** Contract of every `SubmissionStore` for the ops pages. `makeStore` is called for every test. */
describe.each([
  ['Redis', () => redisStore(server.url)], ['SQLite', async () => sqliteStore()],
] as const)('%s submission store, for the ops pages', (_, makeStore) => {
  let store: SubmissionStore

  beforeEach(async () => { ({ store } = await makeStore()) })

  test('a replacement leaves its audit line only when it is stored', async () => {
    const created = submission()
    await store.create(created)
    const failed: AuditLine = { ...line(created.id), outcome: 'failed' }
    expect(await store.replace(decided(created), decided(decided(created)), failed)).toBeNull()
    expect(await store.audit(10)).toEqual([])
    expect(await store.replace(created, decided(created), failed)).not.toBeNull()
    expect(await store.audit(10)).toEqual([failed])
    const forwarded = line(created.id, failed.at + 1)
    expect(await store.replace(decided(created), over(decided(created)), forwarded)).not.toBeNull()
    expect(await store.audit(10)).toEqual([forwarded, failed])
  })

  test('each of the last 24 hours counts what came in and how it ended', async () => {
    const now = Date.now()
    const [early, late, old] = [now - 20 * HOUR_MS, now, now - 24 * HOUR_MS]
    const all = [early, early, late, old].map(receivedAt => submission({ receivedAt, expiresAt: now + HOUR_MS }))
    for (const each of all) await store.create(each)
    const end = (index: number, outcome: AuditLine['outcome'], at: number) => store.replace(
      all[index]!, over(all[index]!), { ...line(all[index]!.id, at), outcome, receivedAt: all[index]!.receivedAt },
    )
    await end(0, 'forwarded', early)
    await end(1, 'spam', late)
    await end(3, 'edited', late)
    await store.replace(all[2]!, decided(all[2]!), { ...line(all[2]!.id, late), outcome: 'failed' })
    const hours = await store.tally(now)
    expect(hours).toHaveLength(24)
    expect(hours.map(({ hour }) => hour)).toEqual(
      Array.from({ length: 24 }, (_, index) => Math.floor(now / HOUR_MS - 23 + index) * HOUR_MS),
    )
    expect(hours.at(-1)!.counts).toEqual({ received: 1, spam: 1, edited: 1, failed: 1 })
    expect(hours.at(-21)!.counts).toEqual({ received: 2, forwarded: 1 })
    expect(hours.filter(({ counts }) => Object.keys(counts).length > 0)).toHaveLength(2)
  })

  test('one that was taken back and decided again came in once', async () => {
    const now = Date.now()
    const created = submission({ receivedAt: now })
    await store.create(created)
    const decision: Decision = { action: 'spam', reviewer: { id: 'U1', name: 'Ada', platform: 'Slack' }, at: now }
    const spam = { state: 'settled', decision, revocableUntil: now + HOUR_MS } as const
    const open = { state: 'open', decision: null, revocableUntil: undefined } as const
    let current: Submission = created
    for (const changes of [spam, open, spam, open]) {
      const next: Submission = { ...current, ...changes, version: current.version + 1 }
      const outcome = next.state === 'open' ? 'revoked' as const : 'spam' as const
      const audit = { ...line(created.id, now + next.version), outcome, receivedAt: now }
      expect(await store.replace(current, next, audit)).not.toBeNull()
      current = next
    }
    const counts = (await store.tally(now)).reduce((sum, hour) => sum + (hour.counts.received ?? 0), 0)
    expect(counts).toBe(1)
  })

  test('the backlog is what waits, since when, what is due, and since when', async () => {
    expect(await store.backlog(0)).toEqual({ pending: 0, oldestAt: null, overdue: 0, overdueSince: null, stuck: 0 })
    const [old, young] = [submission({ receivedAt: 5_000, expiresAt: Date.now() + HOUR_MS }), submission()]
    await store.create(young)
    await store.create(old)
    const [first, second] = [old.work[0]!.dueAt, young.work[0]!.dueAt]
    const waiting = { pending: 2, oldestAt: 5_000, stuck: 0 }
    expect(await store.backlog(first - 1)).toEqual({ ...waiting, overdue: 0, overdueSince: null })
    expect(await store.backlog(second - 1)).toEqual({ ...waiting, overdue: 1, overdueSince: first })
    expect(await store.backlog(second)).toEqual({ ...waiting, overdue: 2, overdueSince: first })
  })

  test('tells whose time comes until a moment, the earliest first', async () => {
    const [old, young] = [submission({ receivedAt: 5_000, expiresAt: Date.now() + HOUR_MS }), submission()]
    for (const each of [young, old]) await store.create(each)
    const [first, second] = [old.work[0]!.dueAt, young.work[0]!.dueAt]
    expect(await store.upcoming(first - 1, 10)).toEqual([])
    expect(await store.upcoming(second, 10)).toEqual([old.id, young.id])
    expect(await store.upcoming(second, 1)).toEqual([old.id])
  })

  test('who waits for a person is known, oldest first, until that is over', async () => {
    const all = [2, 1, 3].map(receivedAt => submission({ receivedAt, expiresAt: Date.now() + HOUR_MS }))
    for (const each of all) await store.create(each)
    const failures = [{ delivery: 'email' as const, reason: 'no' }]
    const stuck = all.map(each => ({ ...each, version: 2, failures }))
    for (const [index, each] of stuck.entries()) await store.replace(all[index]!, each)
    expect([await store.stuck(10), await store.stuck(2)]).toEqual([
      [all[1]!.id, all[0]!.id, all[2]!.id], [all[1]!.id, all[0]!.id],
    ])
    expect((await store.backlog(0)).stuck).toBe(3)
    await store.replace(stuck[0]!, { ...stuck[0]!, version: 3, failures: [] })
    await store.replace(stuck[1]!, over(stuck[1]!), line(all[1]!.id))
    expect(await store.stuck(10)).toEqual([all[2]!.id])
    await store.forget(all[2]!.id)
    expect((await store.backlog(0)).stuck).toBe(0)
  })

  test('a page without what the forms said has the rest of it', async () => {
    const all = [2, 1].map(receivedAt => submission({
      receivedAt, expiresAt: Date.now() + HOUR_MS,
      cards: [{ platform: 'slack', threadId: 'slack:C1', messageId: '1' }],
    }))
    for (const each of all) await store.create(each)
    const { submissions, total } = await store.listRecords({ limit: 2 })
    expect([submissions.map(({ id, cards }) => [id, cards]), total]).toEqual(
      [all.map(({ id, cards }) => [id, cards]), 2],
    )
    expect(submissions.every(each => !('data' in each))).toBe(true)
    expect((await store.listPending({ limit: 2 })).submissions.map(({ data }) => data)).toEqual(
      all.map(({ data }) => data),
    )
  })

  test('pages of those that wait for a person have nobody else, and count all that wait', async () => {
    const all = [1, 2, 3].map(() => submission())
    for (const each of all) await store.create(each)
    for (const each of all.slice(1)) await store.replace(
      each, { ...each, version: 2, failures: [{ delivery: 'email', reason: 'no' }] },
    )
    const first = await store.listPending({ limit: 1, only: 'stuck' })
    const second = await store.listPending({ limit: 1, only: 'stuck', before: first.cursor! })
    expect([...first.submissions, ...second.submissions].map(({ id }) => id).sort()).toEqual(
      all.slice(1).map(({ id }) => id).sort(),
    )
    expect([first.total, second.total, second.cursor]).toEqual([3, 3, null])
  })

  test('pages of those whose delivery is tried again have nobody else, until that is over', async () => {
    const [first, other] = [submission(), submission()]
    for (const each of [first, other]) await store.create(each)
    const ids = async () => (await store.listRecords({ limit: 10, only: 'retrying' })).submissions.map(({ id }) => id)
    const email = { key: 'email#2', kind: 'email', attempts: 0, dueAt: Date.now() + HOUR_MS }
    const steps: [Partial<Submission>, boolean][] = [
      [{ state: 'settling', work: [email] }, false], [{ work: [{ ...email, attempts: 1 }] }, true],
      [{ work: [{ ...email, attempts: 2 }] }, true], [{ work: [] }, false],
      [{ work: [{ ...email, attempts: 1 }] }, true],
    ]
    let current: Submission = first
    for (const [changes, isIn] of steps) {
      const next = { ...current, ...changes, version: current.version + 1 }
      expect(await store.replace(current, next)).not.toBeNull()
      current = next
      expect(await ids()).toEqual(isIn ? [first.id] : [])
    }
    await store.forget(first.id)
    expect(await ids()).toEqual([])
  })

  test('pages of those that somebody has have nobody else, until that is over', async () => {
    const all = [1, 2, 3].map(() => submission())
    for (const each of all) await store.create(each)
    const until = Date.now() + HOUR_MS
    const holder = { id: 'U1', name: 'Ada', platform: 'Slack', who: 'slack:U1', since: 1, until }
    const taken = all.slice(1).map(each => ({ ...each, version: 2, holder }))
    for (const [index, each] of taken.entries()) await store.replace(all[index + 1]!, each)
    const ids = async () => (await store.listPending({ limit: 10, only: 'taken' })).submissions.map(({ id }) => id)
    expect((await ids()).sort()).toEqual(taken.map(({ id }) => id).sort())
    expect((await store.get(taken[0]!.id))!.holder).toEqual(holder)
    await store.replace(taken[0]!, { ...taken[0]!, version: 3, holder: undefined })
    expect(await ids()).toEqual([taken[1]!.id])
    await store.replace(taken[1]!, over(taken[1]!, { holder: undefined }), line(taken[1]!.id))
    expect(await ids()).toEqual([])
    await store.replace(all[0]!, { ...all[0]!, version: 2, holder })
    await store.forget(all[0]!.id)
    expect(await ids()).toEqual([])
  })

  test('the revision is another one after each change, and the same while there is none', async () => {
    const one = submission()
    const seen = [await store.revision()]
    await store.create(one)
    seen.push(await store.revision())
    await store.replace(one, decided(one))
    seen.push(await store.revision())
    expect(new Set(seen).size).toBe(3)
    expect(await store.revision()).toBe(seen.at(-1))
  })

  test('a watcher is told again and again that it hears of changes, and not after stopping', async () => {
    const beats: number[] = []
    const others: number[] = []
    const watch = (heard: number[]) => store.watch({ changed: () => {}, alive: () => heard.push(Date.now()) })
    // The first signal may come twice: with the connection and with the subscription.
    const goesOn = (heard: number[]) => heard.at(-1)! - heard[0]! >= HEARTBEAT_MS / 2
    const stop = watch(beats)
    await until('two heartbeats', () => goesOn(beats), 5 * HEARTBEAT_MS)
    stop()
    const last = beats.length
    const again = watch(others)
    await until('two of another watcher', () => goesOn(others), 5 * HEARTBEAT_MS)
    again()
    expect(beats).toHaveLength(last)
  })

  test('who watches hears of every change, after one null, and of nothing after stopping', async () => {
    const heard: (string | null)[] = []
    const watcher = { changed: (id: string | null) => heard.push(id), alive: () => {} }
    const stop = store.watch(watcher)
    await until('the watch to stand', () => heard.includes(null))
    const [one, two] = [submission(), submission()]
    for (const each of [one, two]) await store.create(each)
    await store.replace(one, decided(one))
    await store.replace(two, over(two), line(two.id))
    const changes = [one.id, two.id, one.id, two.id]
    await until('four changes', () => heard.filter(id => id !== null).length === 4)
    expect(heard.filter(id => id !== null)).toEqual(changes)
    stop()
    const [before, others]: [number, (string | null)[]] = [heard.length, []]
    const again = store.watch({ changed: id => others.push(id), alive: () => {} })
    await until('a second watch', () => others.includes(null))
    const three = submission()
    await store.create(three)
    await until('the other to hear of it', () => others.includes(three.id))
    again()
    expect(heard).toHaveLength(before)
  })
})

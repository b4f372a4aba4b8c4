import { expect, test } from 'vitest'
import { RedisStore } from '../../server/adapters/redis/store/store'
import type { LifecycleEvent } from '../../server/domain/lifecycle/events'
import { transition } from '../../server/domain/lifecycle/lifecycle'
import { storeRules, isOver, traceOf } from '../../server/domain/lifecycle/record'
import type { Submission } from '../../server/ports/submission'
import { submission } from '../fixtures/submissions'
import { endAfterAll } from '../support/lifetime'
import { connectRedis } from '../support/redis-client'
import { ownRedis } from './stores'

const SUBMISSIONS = 200
const LEASE_MS = 30_000
const REVIEWER = { id: 'U1', name: 'Ada', platform: 'Slack' }

const server = await ownRedis()
/** Clients of three servers. */
const clients = await Promise.all(Array.from({ length: 3 }, () => connectRedis(server.url)))
const stores = clients.map(client => endAfterAll(new RedisStore(client, storeRules)))

/** Applies an event to the newest version, like `Outbox.apply`, until it is stored (true) or refused (false). */
async function apply(store: RedisStore, id: string, event: LifecycleEvent, now: number): Promise<boolean> {
  for (;;) {
    const current = (await store.get(id))!
    const step = transition(current, event, now, LEASE_MS)
    if ('refused' in step) return false
    if (await store.replace(current, isOver(step.next) ? traceOf(step.next) : step.next)) return true
  }
}

/** Applies every event on all servers at once, to each of many submissions. Returns true for each stored attempt. */
async function race(
  made: (now: number) => Submission, events: (current: Submission) => LifecycleEvent[], rounds = 1,
): Promise<{ wins: boolean[][], left: Submission[] }> {
  const now = Date.now()
  const all = Array.from({ length: SUBMISSIONS }, () => made(now))
  const wins: boolean[][] = []
  for (const each of all) {
    await stores[0]!.create(each)
    const tries = events(each).flatMap(event => Array.from({ length: rounds }, () => event))
    wins.push(await Promise.all(tries.map(
      (event, index) => apply(stores[index % stores.length]!, each.id, event, now),
    )))
  }
  const left = await Promise.all(all.map(async ({ id }) => (await stores[1]!.get(id))!))
  return { wins, left }
}

const decided = (now: number, changes: Partial<Submission>) => submission({
  decision: { action: 'forward', reviewer: REVIEWER, at: now }, state: 'settling', ...changes,
})

test('an undo against the lease of the email: one of them, on each of 200 submissions over three servers', async () => {
  const { wins, left } = await race(
    now => decided(now, { revocableUntil: now, work: [{ key: 'email#2', kind: 'email', attempts: 0, dueAt: now }] }),
    () => [{ type: 'revoked', action: 'forward', reviewer: REVIEWER }, { type: 'leased', keys: ['email#2'] }],
  )
  for (const [index, [undone, leased]] of wins.entries()) {
    expect(undone).toBe(!leased)
    expect(left[index]).toMatchObject(undone ? { state: 'open', work: [] } : { state: 'settling', decision: {} })
  }
})

test('not spam against an erasure: what is erased stays erased, whoever was first', async () => {
  const { wins, left } = await race(
    now => decided(now, {
      decision: { action: 'spam', reviewer: REVIEWER, at: now }, state: 'settled', revocableUntil: now + LEASE_MS,
      work: [],
    }),
    () => [{ type: 'revoked', action: 'spam', reviewer: REVIEWER }, { type: 'erased', reviewer: REVIEWER }],
  )
  expect(wins.every(([, erased]) => erased)).toBe(true)
  expect(left.every(({ state, data }) => state === 'erased' && data === null)).toBe(true)
})

test('fifty people who release one that is held: it is released once, and has one card to come in each room', async () => {
  const { wins, left } = await race(
    () => submission({ state: 'held', work: [] }),
    () => [{ type: 'released', reviewer: REVIEWER, rooms: ['slack', 'discord'] }], 50,
  )
  expect(wins.map(each => each.filter(Boolean).length)).toEqual(Array.from({ length: SUBMISSIONS }, () => 1))
  for (const { work } of left) expect(work.map(({ key }) => key)).toEqual(['post:slack', 'post:discord'])
})

import { join } from 'node:path'
import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { RedisApprovals } from '../../server/adapters/redis/approvals'
import { SqliteApprovals } from '../../server/adapters/sqlite/approvals'
import type { ApprovalStore, ApprovalDecision, WaitingTurn } from '../../server/ports/approvals'
import { testFolder } from '../support/lifetime'
import { fileDatabase } from '../support/sqlite'
import { until } from '../support/until'
import { ownRedis, clientOf } from './stores'

/** Two clients of one store, like two processes if the store allows that. */
interface Harness { one: ApprovalStore, other: ApprovalStore }

const ASKER = { id: 'U1', name: 'Ada', platform: 'Slack' }
const YES: ApprovalDecision = { approved: true, by: ASKER, at: 1 }
const NO: ApprovalDecision = { approved: false, by: { ...ASKER, id: 'U2' }, at: 2 }
const HOUR = 3_600_000

function waitingTurn(calls = 1, expiresAt = Date.now() + HOUR): WaitingTurn {
  return {
    id: randomUUID(), threadId: 'slack:C1:1.2', asker: ASKER, expiresAt,
    state: '[{"role":"user","content":"__proto__ \\u0000 ü"}]',
    calls: Array.from({ length: calls }, (_, index) => ({
      approvalId: `a${index}`, toolCallId: `t${index}`, title: 'Mark as spam',
      details: [{ label: 'id', value: '\u0000<!channel>', edited: false }],
    })),
  }
}

const server = await ownRedis()

const connected = () => clientOf(server.url)

async function openRedis() {
  const [one, other] = [await connected(), await connected()]
  await one.flushAll()
  return { one: new RedisApprovals(one), other: new RedisApprovals(other) }
}

async function openSqlite() {
  const store = new SqliteApprovals(fileDatabase())
  return { one: store, other: store }
}

/** Contract of every `ApprovalStore`. */
describe.each([['Redis', openRedis], ['SQLite', openSqlite]] as const)('%s approvals', (_, open) => {
  let h: Harness
  beforeEach(async () => { h = await open() })

  test('give back what was kept, wherever it was kept, until it is dropped', async () => {
    const turn = waitingTurn(2)
    expect(await h.other.get(turn.id)).toBeNull()
    await h.one.keep(turn)
    expect(await h.other.get(turn.id)).toEqual({ turn, verdicts: [null, null], cards: [null, null], taken: false })
    await h.other.drop(turn.id)
    expect(await h.one.get(turn.id)).toBeNull()
    expect(await h.one.decide(turn.id, 0, YES, 0)).toEqual({ state: 'gone' })
  })

  test('say which are kept, the first to expire first', async () => {
    const [late, soon] = [waitingTurn(1, Date.now() + 2 * HOUR), waitingTurn()]
    await h.one.keep(late)
    await h.one.keep(soon)
    expect(await h.other.kept(10)).toEqual([soon.id, late.id])
    expect(await h.other.kept(1)).toEqual([soon.id])
    await h.other.drop(soon.id)
    expect(await h.one.kept(10)).toEqual([late.id])
  })

  test('know the cards once they are attached, and attach none to a turn that is over', async () => {
    const turn = waitingTurn(2)
    const cards = ['1', '2'].map(messageId => ({ platform: 'slack', threadId: turn.threadId, messageId }))
    await h.one.keep(turn)
    await h.one.attach(turn.id, cards)
    expect((await h.other.get(turn.id))?.cards).toEqual(cards)
    await h.one.drop(turn.id)
    await h.other.attach(turn.id, cards)
    expect(await h.one.get(turn.id)).toBeNull()
  })

  test('keep the first verdict on a call, and complete the turn with the last', async () => {
    const turn = waitingTurn(3)
    await h.one.keep(turn)
    expect(await h.one.decide(turn.id, 1, YES, 0)).toEqual({ state: 'recorded' })
    expect(await h.other.decide(turn.id, 1, NO, 0)).toEqual({ state: 'decided', verdict: YES })
    expect(await h.other.decide(turn.id, 0, NO, 0)).toEqual({ state: 'recorded' })
    expect(await h.one.decide(turn.id, 2, YES, 0)).toEqual({
      state: 'complete', kept: { turn, verdicts: [NO, YES, YES], cards: [null, null, null], taken: true },
    })
    expect(await h.one.decide(turn.id, 2, NO, 0)).toEqual({ state: 'decided', verdict: YES })
  })

  test('take no decision on a call that the turn does not have', async () => {
    const turn = waitingTurn(2)
    await h.one.keep(turn)
    for (const call of [2, 3]) expect(await h.other.decide(turn.id, call, YES, 0)).toEqual({ state: 'gone' })
    expect((await h.one.get(turn.id))?.verdicts).toEqual([null, null])
  })

  test('tell exactly one of fifty at once to go on', async () => {
    const turn = waitingTurn(2)
    await h.one.keep(turn)
    const verdicts = await Promise.all(Array.from({ length: 100 }, (_, index) => (index % 3 ? h.one : h.other).decide(
      turn.id, index % 2, index % 5 ? YES : NO, 0,
    )))
    expect(verdicts.filter(({ state }) => state === 'complete')).toHaveLength(1)
    expect(verdicts.filter(({ state }) => state === 'recorded')).toHaveLength(1)
    expect(verdicts.filter(({ state }) => state === 'decided')).toHaveLength(98)
  })

  test('decide what is still open at once, and leave the rest as it stands', async () => {
    const turn = waitingTurn(3)
    await h.one.keep(turn)
    await h.one.decide(turn.id, 1, YES, 0)
    expect(await h.other.decide(turn.id, null, NO, 0)).toMatchObject({
      state: 'complete', kept: { verdicts: [NO, YES, NO] },
    })
    expect(await h.one.decide(turn.id, null, NO, 0)).toEqual({ state: 'gone' })
  })

  test('hand out what expired to one taker at a time', async () => {
    const [due, later] = [waitingTurn(1, Date.now() - 10), waitingTurn(1)]
    await Promise.all([h.one.keep(due), h.one.keep(later)])
    const leases = await Promise.all([h.one, h.other, h.one, h.other].map(store => store.lease(HOUR, 10)))
    expect(leases.flat()).toEqual([due.id])
  })

  test('hand it out again when the taker did not finish in time', async () => {
    const due = waitingTurn(1, Date.now() - 10)
    await h.one.keep(due)
    expect(await h.one.lease(30, 10)).toEqual([due.id])
    await until('the end of the lease', async () => (await h.other.lease(HOUR, 10)).includes(due.id))
  })

  test('hand out a turn that was taken and never dropped', async () => {
    const turn = waitingTurn(1)
    await h.one.keep(turn)
    const end = Date.now() + 300
    await h.one.decide(turn.id, 0, YES, end)
    await until('its time', async () => (await h.other.lease(0, 10)).includes(turn.id))
    expect(Date.now()).toBeGreaterThanOrEqual(end)
    await h.one.drop(turn.id)
    expect(await h.one.lease(HOUR, 10)).toEqual([])
  })
})

describe('Redis approvals, in Redis', () => {
  test('a turn is one key with the hash tag that goes an hour after its end; a decision is one command', async () => {
    const client = await connected()
    await client.flushAll()
    const store = new RedisApprovals(client)
    const turn = waitingTurn(2)
    await store.keep(turn)
    await store.decide(turn.id, 0, { approved: true, by: null, at: 0 }, 0)
    await client.configResetStat()
    await store.decide(turn.id, 1, { approved: true, by: null, at: 0 }, 0)
    expect(await client.info('commandstats')).toContain('cmdstat_evalsha:calls=1,')
    expect((await client.keys('*')).toSorted()).toEqual([`{triage}:approval:${turn.id}`, '{triage}:approvals'])
    expect(await client.pExpireTime(`{triage}:approval:${turn.id}`)).toBe(turn.expiresAt + 3_600_000)
  })

  test('noting its cards lets a turn live no longer, and one that was dropped for an hour at most', async () => {
    const client = await connected()
    const store = new RedisApprovals(client)
    const [turn, dropped] = [waitingTurn(1), waitingTurn(1)]
    for (const each of [turn, dropped]) await store.keep(each)
    await store.drop(dropped.id)
    for (const each of [turn, dropped]) await store.attach(each.id, [])
    expect(await client.pExpireTime(`{triage}:approval:${turn.id}`)).toBe(turn.expiresAt + 3_600_000)
    const leftMs = await client.pTTL(`{triage}:approval:${dropped.id}`)
    expect(leftMs).toBeGreaterThan(0)
    expect(leftMs).toBeLessThanOrEqual(3_600_000)
  })
})

describe('SQLite approvals', () => {
  test('survive a restart, with verdicts and cards', async () => {
    const path = join(testFolder(), 'forms.db')
    const turn = waitingTurn(2)
    const db = fileDatabase(path)
    const before = new SqliteApprovals(db)
    await before.keep(turn)
    await before.attach(turn.id, [{ platform: 'slack', threadId: turn.threadId, messageId: '1' }])
    await before.decide(turn.id, 0, { approved: false, by: null, at: 7 }, 0)
    await db.close()
    const after = new SqliteApprovals(fileDatabase(path))
    expect(await after.get(turn.id)).toMatchObject({
      turn, verdicts: [{ approved: false, at: 7 }, null], cards: [{ messageId: '1' }],
    })
  })
})

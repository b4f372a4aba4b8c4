import { describe, expect, test } from 'vitest'
import { EmbeddedApprovals } from '../../server/adapters/embedded/approvals'
import { RedisApprovals } from '../../server/adapters/redis/approvals'
import { endAfterAll, endAfterTest, testFolder } from '../support/lifetime'
import { connectRedis } from '../support/redis-client'
import { startRedis } from '../support/redis-server'
import { approvalsContract, waitingTurn } from './approvals'

const server = endAfterAll(await startRedis())

const connected = async () => endAfterTest(await connectRedis(server.url))

approvalsContract('Redis', async () => {
  const [one, other] = [await connected(), await connected()]
  await one.flushAll()
  return { one: new RedisApprovals(one), other: new RedisApprovals(other) }
})

approvalsContract('Embedded', async () => {
  const store = new EmbeddedApprovals(testFolder(), Date.now)
  return { one: store, other: store }
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

describe('embedded approvals', () => {
  test('survive a restart, with verdicts and cards', async () => {
    const folder = testFolder()
    const turn = waitingTurn(2)
    const before = new EmbeddedApprovals(folder, Date.now)
    await before.keep(turn)
    await before.attach(turn.id, [{ platform: 'slack', threadId: turn.threadId, messageId: '1' }])
    await before.decide(turn.id, 0, { approved: false, by: null, at: 7 }, 0)
    const after = new EmbeddedApprovals(folder, Date.now)
    expect(await after.get(turn.id)).toMatchObject({
      turn, verdicts: [{ approved: false, at: 7 }, null], cards: [{ messageId: '1' }],
    })
  })
})

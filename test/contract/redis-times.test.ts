import { beforeEach, expect, test } from 'vitest'
import type { RedisClient } from '../../server/adapters/redis/connection/client'
import type { RedisStore } from '../../server/adapters/redis/store/store'
import { dataLivesUntil } from '../../server/domain/lifecycle/record'
import { decided, line, over, submission } from '../fixtures/submissions'
import { ownRedis, redisStore } from './stores'

const DAY_MS = 24 * 60 * 60 * 1000
const CARD = { platform: 'slack', threadId: 'slack:C1:1.1', messageId: '1.1' }

let client: RedisClient
let store: RedisStore
const server = await ownRedis()
beforeEach(async () => { ({ client, store } = await redisStore(server.url)) })

test('form data lives until its time, its record eight days longer, also edited, or decided without being read', async () => {
  const created = submission()
  const ends = () => Promise.all(['d', 's'].map(kind => client.pExpireTime(`{triage}:${kind}:${created.id}`)))
  const expected = [dataLivesUntil(created), dataLivesUntil(created) + 8 * DAY_MS]
  await store.create(created)
  expect(await ends()).toEqual(expected)
  await store.replace(created, { ...created, version: 2, data: { name: 'Eve' }, cards: [CARD] })
  expect(await ends()).toEqual(expected)
  const recalled = store.recall(created.id)!
  const known = { ...recalled, data: {} }
  const late = decided(known, { decision: { ...decided(known).decision!, at: created.expiresAt - 1 } })
  await store.replace(recalled, late)
  expect(await ends()).toEqual([dataLivesUntil(late), dataLivesUntil(late) + 8 * DAY_MS])
})

test('every key but the indexes and the revision ends by itself', async () => {
  const now = Date.now()
  const [open, ended] = [submission({ receivedAt: now }), submission({ receivedAt: now })]
  for (const each of [open, ended]) await store.create(each, { idempotencyKey: each.id })
  await store.replace(open, { ...open, version: 2, data: { name: 'Eve' } })
  await store.replace(ended, over(ended), line(ended.id, now))
  const keys = await client.keys('*')
  const leftMs = await Promise.all(keys.map(key => client.pTTL(key)))
  expect(keys.filter((_, index) => leftMs[index] === -1).sort()).toEqual(
    ['{triage}:due', '{triage}:pending', '{triage}:revision'],
  )
  expect(await client.pExpireTime('{triage}:audit')).toBe(now + 30 * DAY_MS)
  // An hour's counts are needed until 24 hours after the hour began.
  expect(leftMs[keys.findIndex(key => key.startsWith('{triage}:tally:'))]).toBeGreaterThan(DAY_MS)
})

test('of the audit trail the newest 100,000 lines are kept', async () => {
  const created = submission()
  await store.create(created)
  const from = Date.now() - 200_000
  const old = Array.from({ length: 100_000 }, (_, index) => ({ score: from + index, value: `${index}` }))
  await client.zAdd('{triage}:audit', old)
  await store.replace(created, over(created), line(created.id))
  expect(await client.zCard('{triage}:audit')).toBe(100_000)
  expect(await client.zScore('{triage}:audit', '0')).toBeNull()
})

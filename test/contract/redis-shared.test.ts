import { beforeEach, describe, expect, it, test } from 'vitest'
import type { RedisClient } from '../../server/adapters/redis/connection/client'
import { RedisStore } from '../../server/adapters/redis/store/store'
import { storeRules } from '../../server/domain/lifecycle/record'
import { submission } from '../fixtures/submissions'
import { endAfterTest } from '../support/lifetime'
import { connectRedis } from '../support/redis-client'
import { type RedisServer, startRedis } from '../support/redis-server'
import { until } from '../support/until'
import { clientOf } from './stores'

let server: RedisServer
let owner: RedisClient
beforeEach(async () => {
  server = endAfterTest(await startRedis())
  owner = await clientOf(server.url)
})

const open = async (url: string) => endAfterTest(new RedisStore(await connectRedis(url), storeRules))

/** Subscribes to a store. Returns a list to which the ids of all later changes are added. */
async function heard(store: RedisStore): Promise<string[]> {
  const ids: string[] = []
  let missed = 0
  store.watch({ changed: id => void (id === null ? missed++ : ids.push(id)), alive: () => {} })
  // A null id reports possibly missed changes: first on the connection, then once the subscription is active.
  await until('the subscription', () => missed >= 2)
  return ids
}

describe('two deployments in two databases of one Redis', () => {
  it('hear of their own changes alone', async () => {
    const [first, second] = [await open(server.url), await open(`${server.url}/3`)]
    const [atFirst, atSecond] = [await heard(first), await heard(second)]
    const [one, two] = [submission(), submission()]
    await first.create(one)
    await second.create(two)
    // Redis keeps the order: a store that has received the last announcement has received all earlier ones.
    const [last, end] = [submission(), submission()]
    await first.create(last)
    await second.create(end)
    await until('both to hear', () => atFirst.includes(last.id) && atSecond.includes(end.id))
    expect(atFirst).toEqual([one.id, last.id])
    expect(atSecond).toEqual([two.id, end.id])
  })
})

const MAY = ['reset', 'on', '>secret', '+@all', '~{triage}:*', '~chat-sdk:*']

describe('a user of Redis that may not announce', () => {
  it.each(['', '/3'])('is refused by the check, which says what to allow; then all works: database "%s"', async (path) => {
    await owner.aclSetUser('forms', MAY)
    const store = await open(`redis://forms:secret@127.0.0.1:${server.port}${path}`)
    const refusal = await store.check()
    expect(refusal).toMatch(/^Redis answers NOPERM\..* channels \{triage\}:changes\*/)
    const rules = /ACL SETUSER <user> ([^)]+)/.exec(refusal!)![1]!.split(' ')
    await owner.aclSetUser('forms', ['reset', 'on', '>secret', ...rules])
    const ids = await heard(store)
    // The check publishes a probe, which must not count as a change.
    expect(await store.check()).toBeNull()
    const created = submission()
    await store.create(created)
    await until('it to hear', () => ids.includes(created.id))
    expect(ids).toEqual([created.id])
  })
})

test.each([
  ['zadd', '-@sortedset'], ['hset', '-@hash'], ['rpush', '-@list'],
])('what a script may not do, %s, is told as what a user may not, and found by the check', async (_, rule) => {
  await owner.aclSetUser('forms', [...MAY, '&{triage}:changes*', rule])
  const store = await open(`redis://forms:secret@127.0.0.1:${server.port}`)
  expect(await store.check()).toMatch(/^Redis answers NOPERM\. Its user lacks permissions/)
  await owner.aclSetUser('forms', [...MAY, '&{triage}:changes*'])
  expect(await store.check()).toBeNull()
  expect(await owner.exists('{triage}:probe:script')).toBe(0)
})

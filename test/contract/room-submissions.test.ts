import { beforeEach, describe, expect, test } from 'vitest'
import type { RedisClient } from '../../server/adapters/redis/connection/client'
import { RedisStore } from '../../server/adapters/redis/store/store'
import { storeRules } from '../../server/domain/lifecycle/record'
import type { ApprovedDecision } from '../../server/ports/submission-access'
import { ADA, openTriage, type Triage } from '../fakes/triage'
import { connectRedis } from '../support/redis-client'
import { ownRedis } from './stores'

let client: RedisClient
const redis = await ownRedis()

async function onRedis(): Promise<Triage> {
  client = await connectRedis(redis.url)
  const triage = await openTriage({ openStore: () => new RedisStore(client, storeRules) })
  await triage.store.check()
  await client.flushAll()
  return triage
}

/** Sets the clock and random ids to those of this machine: Redis counts by its clock. */
function asOnThisMachine({ runtime }: Triage): void {
  runtime.time = Date.now()
  runtime.uuid = () => crypto.randomUUID()
}

describe.each(
  [['the embedded store', () => openTriage()], ['Redis', onRedis]] as const,
)('The submissions of a room on %s', (_name, open) => {
  let triage: Triage
  beforeEach(async () => {
    triage = await open()
    asOnThisMachine(triage)
  })

  async function post(data: unknown): Promise<string> {
    triage.runtime.time += 1000
    return triage.post(data)
  }

  const decide = (decision: Pick<ApprovedDecision, 'id'> & Partial<ApprovedDecision>) => (
    triage.submissions.decide({ action: 'forward', person: ADA, ...decision })
  )

  const ids = async (text: string, limit = 10) => (
    (await triage.submissions.search(text, limit)).submissions.map(({ id }) => id)
  )

  test('finds pending submissions by all words in names and values, in any case, newest first, or by the beginning of the id', async () => {
    const ada = await post({ name: 'Ada Lovelace', order: { engines: 2, colour: 'BRASS' } })
    const grace = await post({ name: 'Grace Hopper', message: 'Two brass compilers' })
    expect(await ids('')).toEqual([grace, ada])
    expect(await ids('brass')).toEqual([grace, ada])
    expect(await ids('ENGINES  lovelace')).toEqual([ada])
    expect(await ids('message')).toEqual([grace])
    expect(await ids(ada.slice(0, 8))).toEqual([ada])
    expect(await ids('brass nobody')).toEqual([])
  })

  test('decides what was approved, and nothing once its data are others, whatever was edited and taken back', async () => {
    const [id, edited] = [await post({ name: 'Ada' }), await post({ iban: 'GOOD' })]
    const approved = async (of: string) => (await triage.submissions.get(of))!.content
    const message = expect.stringContaining('It changed after this was approved') as string
    const changed = { kind: 'unchanged', message }
    const content = await approved(edited)
    expect(await decide({ id, action: 'forward', content })).toEqual(changed)
    expect(await decide({ id, action: 'forward', content: await approved(id) })).toMatchObject({ kind: 'done' })
    await triage.runtime.drain()
    // The delivery fails for good, so the next submission is open again.
    triage.mailer.answers.push({ ok: false, permanent: true, reason: 'No.' })
    await decide({ id: edited, changes: [{ field: 'iban', value: 'EVIL' }], content })
    await triage.runtime.drain()
    const sent = triage.mailer.calls.length
    expect(await decide({ id: edited, changes: [], content })).toEqual(changed)
    expect(await decide({ id: edited, action: 'spam', content })).toEqual(changed)
    await triage.runtime.drain()
    expect([await approved(edited), triage.mailer.calls.length]).toEqual([expect.not.stringMatching(content!), sent])
  })

  test('shows no more than was asked for, and says how many there are', async () => {
    for (let index = 0; index < 6; index++) await post({ index, parity: index % 2 ? 'odd' : 'even' })
    expect(await triage.submissions.search('odd', 2)).toMatchObject({
      submissions: [{ data: { index: 5 } }, { data: { index: 3 } }], matches: 3, pending: 6, complete: true,
    })
  })

  test('shows who decided it once it is over, and null if there is none', async () => {
    const id = await post({ name: 'Ada' })
    await triage.settle(decide({ id, action: 'spam' }))
    expect(await triage.submissions.get(id)).toMatchObject({
      id, state: 'settled', data: null, fields: [], notes: [expect.stringMatching(/^Marked as spam by Ada on Slack, /)],
    })
    expect(await triage.submissions.get('nothing')).toBeNull()
  })

  test('counts pending submissions and decisions', async () => {
    expect(await triage.submissions.stats()).toEqual({
      pending: 0, complete: true, newestAt: null, decided: { forwarded: 0, spam: 0, expired: 0, sinceAt: null },
    })
    const decided = [await post({ a: 1 }), await post({ a: 2 })]
    const newestAt = (await triage.store.get(await post({ a: 3 })))!.receivedAt
    for (const [index, id] of decided.entries()) await triage.settle(decide({ id, action: index ? 'forward' : 'spam' }))
    expect(await triage.submissions.stats()).toEqual({
      pending: 1, complete: true, newestAt, decided: { forwarded: 1, spam: 1, expired: 0, sinceAt: expect.any(Number) },
    })
  })

  test('changes fields by name and keeps the others; a number stays a number', async () => {
    const id = await post({ name: 'Ada', engines: 2, tags: ['a'] })
    const changes = [{ field: 'engines', value: '3' }, { field: 'name', value: 'Ada L.' }]
    expect(await triage.settle(decide({ id, changes }))).toEqual({ kind: 'done' })
    expect(JSON.parse(triage.endpoint.calls[0]!.body)).toEqual({ name: 'Ada L.', engines: 3, tags: ['a'] })
  })

  test.each([
    ['nam', 'x', 'There is no field "nam". Its fields are "name", "tags".'],
    ['tags', 'b', '"tags": This field is a JSON list. Keep it valid, like ["a", "b"].'],
  ])('changes nothing if the field %s cannot be %j, and says why', async (field, value, message) => {
    const id = await post({ name: 'Ada', tags: [1, 2] })
    expect(await triage.settle(decide({ id, changes: [{ field, value }] }))).toEqual({ kind: 'unchanged', message })
    expect(await triage.submissions.get(id)).toMatchObject({ state: 'open', data: { name: 'Ada', tags: [1, 2] } })
    expect(await decide({ id: 'nothing', changes: [{ field, value }] })).toMatchObject({ kind: 'silent' })
  })
})

test('a search on Redis is two round trips for 50 submissions', async () => {
  const triage = await onRedis()
  asOnThisMachine(triage)
  for (let index = 0; index < 60; index++) await triage.receive({ index })
  await triage.runtime.drain()
  await client.configResetStat()
  expect(await triage.submissions.search('index', 5)).toMatchObject({ matches: 60, complete: true })
  expect(await client.info('commandstats')).toMatch(/cmdstat_eval(sha)?:calls=4,/)
})

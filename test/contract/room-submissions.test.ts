import { beforeEach, describe, expect, test } from 'vitest'
import type { RedisClient } from '../../server/adapters/redis/connection/client'
import { RedisStore } from '../../server/adapters/redis/store/store'
import { storeRules } from '../../server/domain/lifecycle/record'
import type { ApprovedDecision } from '../../server/ports/submission-access'
import { ADA, openTriage, type Triage } from '../fakes/triage'
import { endAfterAll } from '../support/lifetime'
import { connectRedis } from '../support/redis-client'
import { startRedis } from '../support/redis-server'
import { inWords } from '../support/words'

let client: RedisClient
const redis = endAfterAll(await startRedis())

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
    const message = expect.stringContaining('It has changed since this was approved') as string
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
    for (let index = 0; index < 60; index++) await post({ index, parity: index % 2 ? 'odd' : 'even' })
    expect(await triage.submissions.search('odd', 3)).toMatchObject({
      submissions: [{ data: { index: 59 } }, { data: { index: 57 } }, { data: { index: 55 } }], matches: 30,
      pending: 60, complete: true,
    })
  })

  test('shows a submission with its data, who decided once it is over, and null for none', async () => {
    const id = await post({ name: 'Ada', engines: 2 })
    expect(await triage.submissions.get(id)).toMatchObject({
      id, state: 'open', data: { name: 'Ada', engines: 2 },
      fields: [{ label: 'name', value: 'Ada' }, { label: 'engines', value: '2' }], notes: [],
    })
    await decide({ id, action: 'spam' })
    await triage.runtime.drain()
    expect(await triage.submissions.get(id)).toMatchObject({
      id, state: 'settled', data: null, fields: [], notes: [expect.stringMatching(/^Marked as spam by Ada on Slack, /)],
    })
    expect(await triage.submissions.get('nothing')).toBeNull()
  })

  test('counts what is pending and what was decided', async () => {
    expect(await triage.submissions.stats()).toEqual({
      pending: 0, complete: true, newestAt: null, decided: { forwarded: 0, spam: 0, expired: 0, sinceAt: null },
    })
    const [one, two] = [await post({ a: 1 }), await post({ a: 2 })]
    const newestAt = (await triage.store.get(await post({ a: 3 })))?.receivedAt
    await decide({ id: one, action: 'spam' })
    await decide({ id: two, action: 'forward' })
    await triage.runtime.drain()
    expect(await triage.submissions.stats()).toEqual({
      pending: 1, complete: true, newestAt, decided: { forwarded: 1, spam: 1, expired: 0, sinceAt: expect.any(Number) },
    })
  })

  test('forwards once, by the same claim as a click, in the name of the reviewer', async () => {
    const id = await post({ name: 'Ada' })
    const results = await Promise.all([
      decide({ id, action: 'forward' }), decide({ id, action: 'forward' }),
      triage.decide({ id, action: 'forward' }),
    ])
    await triage.runtime.drain()
    expect(results.filter(({ kind }) => kind === 'done')).toHaveLength(1)
    expect([triage.mailer.calls.length, triage.endpoint.calls.length]).toEqual([1, 1])
    expect((await triage.store.audit(1))[0]).toMatchObject({ id, reviewer: ADA })
    expect(inWords(await decide({ id, action: 'forward' }))).toEqual({
      kind: 'unchanged', message: expect.stringMatching(/^Forwarded by Ada on Slack, .* UTC\.$/),
    })
  })

  test('edits fields by name and keeps what is not named; a number stays a number', async () => {
    const id = await post({ name: 'Ada', engines: 2, tags: ['a'] })
    expect(await decide(
      { id, changes: [{ field: 'engines', value: '3' }, { field: 'name', value: 'Ada L.' }] },
    )).toEqual({ kind: 'done' })
    await triage.runtime.drain()
    expect(JSON.parse(triage.endpoint.calls[0]!.body)).toEqual({ name: 'Ada L.', engines: 3, tags: ['a'] })
  })

  test('an edit of a field that there is not, or of a list that is none any more, changes nothing and says why', async () => {
    const id = await post({ name: 'Ada', tags: ['a'] })
    expect(await decide({ id, changes: [{ field: 'nam', value: 'x' }] })).toEqual({
      kind: 'unchanged', message: 'There is no field "nam". Its fields are "name", "tags".',
    })
    expect(await decide({ id, changes: [{ field: 'tags', value: 'b' }] })).toEqual({
      kind: 'unchanged', message: '"tags": This field is a JSON list. Keep it valid, like ["a", "b"].',
    })
    expect(await decide({ id: 'nothing', changes: [{ field: 'name', value: 'x' }] })).toMatchObject({ kind: 'silent' })
    await triage.runtime.drain()
    expect(await triage.submissions.get(id)).toMatchObject({ state: 'open', data: { name: 'Ada', tags: ['a'] } })
    expect(triage.endpoint.calls).toEqual([])
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

import { beforeEach, expect, test } from 'vitest'
import { StoreUnavailable } from '../../../../server/domain/errors'
import { listRows, pickRows, type Filter } from '../../../../server/domain/queries/listing'
import type { Context } from '../../../../server/domain/context'
import type { PageRequest } from '../../../../server/ports/store'
import type { Submission, Work } from '../../../../server/ports/submission'
import type { RowState } from '../../../../shared/types/submissions'
import { openTriage, storeWaiting, type Triage } from '../../../fakes/triage'

const email = (changes: Partial<Work> = {}): Work => (
  { key: 'email#2', kind: 'email', attempts: 0, dueAt: 50, ...changes }
)

let triage: Triage
beforeEach(async () => { triage = await openTriage() })
const store = (...submissions: Partial<Submission>[]) => storeWaiting(triage, submissions)

test('filtered pages follow each other without a gap or a repetition, whatever lies between the matches', async () => {
  // Ten matches, then twenty others: some pages end among matches, and some reads end among the others.
  const isMatch = (index: number) => index % 30 < 10
  const ids = await store(
    ...Array.from({ length: 120 }, (_, index) => ({ data: { name: isMatch(index) ? `Match ${index}` : 'other' } })),
  )
  const expectedIds = ids.filter((_, index) => isMatch(index))
  for (const limit of [1, 2, 7, 50]) {
    const foundIds: string[] = []
    for (let before: string | undefined; ;) {
      const page = await listRows({ limit, before, q: 'MATCH' }, triage)
      expect(page.rows.length).toBeLessThanOrEqual(limit)
      expect(page.total).toBe(120)
      foundIds.push(...page.rows.map(({ id }) => id))
      if (page.cursor === null) break
      before = page.cursor
    }
    expect(foundIds).toEqual(expectedIds)
  }
})

/** Store in which each page takes `ms`. */
const slowContext = (ms: number): Context => ({
  ...triage, store: Object.assign(Object.create(triage.store), { listPending: async (page: PageRequest) => {
    triage.runtime.time += ms
    return triage.store.listPending(page)
  } }),
})

test('a search says how far it has looked when its time is over, and goes on from there', async () => {
  const ids = await store(...Array.from({ length: 45 }, (_, index) => ({ data: { name: index === 40 ? 'Ada' : '' } })))
  const page = await listRows({ limit: 2, q: 'ada' }, slowContext(30))
  expect(page).toMatchObject({ rows: [], found: [], scanned: 8, total: 45, cursor: expect.any(String) })
  const nextPage = await listRows({ limit: 20, q: 'ada', before: page.cursor! }, slowContext(99))
  expect(nextPage).toMatchObject({ rows: [{ id: ids[40] }], found: [ids[40]], scanned: 37, cursor: null })
})

test.each([
  ['grows while that is quick, to no more than a bound', 700, 50, [0, 0, 0, 0, 0], [50, 100, 200, 200, 200]],
  ['shrinks when that took long, to no less than a page', 200, 10, [0, 0, 20, 20, 99], [10, 20, 40, 20, 10]],
])('what is read at once %s', async (_, count, limit, readMs, expectedSizes) => {
  await store(...Array.from({ length: count }, () => ({})))
  const pageSizes: number[] = []
  const context = { ...triage, store: Object.assign(Object.create(triage.store), {
    listPending: (page: PageRequest) => {
      triage.runtime.time += readMs[pageSizes.push(page.limit) - 1]!
      return triage.store.listPending(page)
    },
  }) }
  const { scanned, cursor } = await listRows({ limit, q: 'nowhere' }, context)
  expect(pageSizes).toEqual(expectedSizes)
  expect(cursor === null).toBe(scanned === count)
})

test('all that matches is told by its id, however many they are', async () => {
  const ids = await store(...Array.from({ length: 120 }, (_, index) => ({ data: { name: index < 110 ? 'Ada' : '' } })))
  expect(await listRows({ limit: 5, q: 'ada', only: 'ids' }, triage)).toMatchObject({
    rows: [], found: ids.slice(0, 110), scanned: 120, cursor: null,
  })
})

test('the oldest come first where that is asked for, page by page', async () => {
  const ids = await store(...Array.from({ length: 3 }, () => ({})))
  const { found, cursor } = await listRows({ limit: 2, sort: 'oldest' }, triage)
  const nextPage = await listRows({ limit: 2, sort: 'oldest', before: cursor! }, triage)
  expect([...found, ...nextPage.found]).toEqual(ids.toReversed())
})

test('a form and a platform are filtered by their keys, the default form too', async () => {
  const cardOn = (platform: string) => ({ cards: [{ platform, threadId: 't', messageId: 'm' }] })
  const [contact, both, none] = await store(
    { form: 'contact' }, { form: 'contact', ...cardOn('discord') }, cardOn('slack'),
  )
  const listIds = async (filter: Filter) => (await listRows({ limit: 5, ...filter }, triage)).found
  expect(await listIds({ form: 'contact' })).toEqual([contact, both])
  expect(await listIds({ form: '-' })).toEqual([none])
  expect(await listIds({ platform: 'discord' })).toEqual([both])
  expect(await listIds({ form: 'contact', platform: 'slack' })).toEqual([])
})

test('a state filter tells the four apart', async () => {
  const decision = { action: 'forward' as const, reviewer: { id: 'U', name: 'A', platform: 'Slack' }, at: 0 }
  const dueLater = triage.runtime.now() + 3_600_000
  const [waitingId, deliveringId, retryingId, failedId] = await store(
    {}, { state: 'settling', decision, work: [email({ dueAt: dueLater })] },
    { state: 'settling', decision, work: [email({ dueAt: dueLater, reason: 'no' })] },
    { failures: [{ delivery: 'email', reason: 'no' }] },
  )
  const listIds = async (state: RowState) => (await listRows({ limit: 5, state }, triage)).rows.map(({ id }) => id)
  expect([
    await listIds('waiting'), await listIds('delivering'), await listIds('retrying'), await listIds('failed'),
  ]).toEqual([
    [waitingId], [deliveringId], [retryingId], [failedId],
  ])
})

test('what failed is found however much waits beside it, and every page says when it was read', async () => {
  const ids = await store(
    ...Array.from({ length: 60 }, () => ({})), { failures: [{ delivery: 'email', reason: 'no' }] },
  )
  expect(await listRows({ limit: 1, state: 'failed' }, triage)).toMatchObject({
    now: triage.runtime.now(), rows: [{ id: ids.at(-1), state: 'failed' }], total: 61, cursor: null, scanned: 1,
  })
})

test('what somebody has is found without reading what waits beside it, whoever asks', async () => {
  Object.assign(triage.forms.of(undefined), { claim: 'soft' })
  const until = triage.runtime.now() + 3_600_000
  const holder = { id: 'U1', name: 'Ada', platform: 'Slack', who: 'slack:U1', since: 0, until }
  const ids = await store(...Array.from({ length: 60 }, () => ({})), { holder })
  for (const [holderFilter, who, expectedIds] of [
    ['taken', 'slack:U2', [ids.at(-1)]], ['mine', 'slack:U1', [ids.at(-1)]], ['mine', 'slack:U2', []],
  ] as const) {
    const page = await listRows({ limit: 1, holder: holderFilter, who }, triage)
    expect(page).toMatchObject({ found: expectedIds, scanned: 1 })
  }
})

test('of changed submissions, those are picked that are pending and pass the filter', async () => {
  const [adaId, graceId] = await store({ data: { name: 'Ada' } }, { data: { name: 'Grace' } })
  expect(
    (await pickRows({ ids: [adaId!, graceId!, 'gone'], q: 'grace' }, triage)),
  ).toMatchObject({ rows: [{ id: graceId }], total: 2 })
  await triage.settle(triage.decide({ id: graceId!, action: 'forward' }))
  expect(await pickRows({ ids: [adaId!, graceId!] }, triage)).toMatchObject({ found: [adaId], total: 1 })
})

test('a store that does not answer is said to be unavailable', async () => {
  triage.outage.calls = 1
  await expect(listRows({ limit: 5 }, triage)).rejects.toThrow(StoreUnavailable)
})

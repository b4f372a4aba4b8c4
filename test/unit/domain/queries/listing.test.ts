import { beforeEach, expect, test } from 'vitest'
import { StoreUnavailable } from '../../../../server/domain/errors'
import { listRows, pickRows, type Filter } from '../../../../server/domain/queries/listing'
import type { OverviewPorts } from '../../../../server/domain/queries/rows'
import type { PageRequest } from '../../../../server/ports/store'
import type { Submission, Work } from '../../../../server/ports/submission'
import type { RowState } from '../../../../shared/types/submissions'
import { openTriage, storeWaiting, type Triage } from '../../../fakes/triage'

const email = (more: Partial<Work> = {}): Work => ({ key: 'email#2', kind: 'email', attempts: 0, dueAt: 50, ...more })

let triage: Triage
beforeEach(async () => { triage = await openTriage() })
const store = (...all: Partial<Submission>[]) => storeWaiting(triage, all)

test('filtered pages follow each other without a gap or a repetition, whatever lies between the matches', async () => {
  // Ten matches in a row, then none for twenty: pages end within a run of matches, and reads within a gap.
  const isMatch = (index: number) => index % 30 < 10
  const ids = await store(
    ...Array.from({ length: 120 }, (_, index) => ({ data: { name: isMatch(index) ? `Match ${index}` : 'other' } })),
  )
  const expected = ids.filter((_, index) => isMatch(index))
  for (const limit of [1, 2, 7, 50]) {
    const found: string[] = []
    for (let before: string | undefined; ;) {
      const page = await listRows({ limit, before, q: 'MATCH' }, triage)
      expect(page.rows.length).toBeLessThanOrEqual(limit)
      expect(page.total).toBe(120)
      found.push(...page.rows.map(({ id }) => id))
      if (page.cursor === null) break
      before = page.cursor
    }
    expect(found).toEqual(expected)
  }
})

/** Store in which each page takes `ms`. */
const slow = (ms: number): OverviewPorts => ({
  ...triage, store: Object.assign(Object.create(triage.store), { listPending: async (page: PageRequest) => {
    triage.runtime.time += ms
    return triage.store.listPending(page)
  } }),
})

test('a search says how far it has looked when its time is over, and goes on from there', async () => {
  const ids = await store(...Array.from({ length: 45 }, (_, index) => ({ data: { name: index === 40 ? 'Ada' : '' } })))
  const page = await listRows({ limit: 2, q: 'ada' }, slow(30))
  expect(page).toMatchObject({ rows: [], found: [], scanned: 8, total: 45, cursor: expect.any(String) })
  const next = await listRows({ limit: 20, q: 'ada', before: page.cursor! }, slow(99))
  expect(next).toMatchObject({ rows: [{ id: ids[40] }], found: [ids[40]], scanned: 37, cursor: null })
})

test('what is read at once grows while that is quick, to no more than a bound', async () => {
  await store(...Array.from({ length: 700 }, () => ({})))
  const asked: number[] = []
  const counting = { ...triage, store: Object.assign(Object.create(triage.store), {
    listPending: (page: PageRequest) => {
      asked.push(page.limit)
      return triage.store.listPending(page)
    },
  }) }
  expect(await listRows({ limit: 50, q: 'nowhere' }, counting)).toMatchObject({ scanned: 700, cursor: null })
  expect(asked).toEqual([50, 100, 200, 200, 200])
})

test('what is read at once shrinks when that took long, to no less than a page', async () => {
  await store(...Array.from({ length: 200 }, () => ({})))
  const asked: number[] = []
  const tiring = { ...triage, store: Object.assign(Object.create(triage.store), {
    listPending: (page: PageRequest) => {
      triage.runtime.time += [0, 0, 20, 20][asked.push(page.limit) - 1] ?? 99
      return triage.store.listPending(page)
    },
  }) }
  await listRows({ limit: 10, q: 'nowhere' }, tiring)
  expect(asked).toEqual([10, 20, 40, 20, 10])
})

test('all that matches is told by its id, however many they are', async () => {
  const ids = await store(...Array.from({ length: 120 }, (_, index) => ({ data: { name: index < 110 ? 'Ada' : '' } })))
  expect(await listRows({ limit: 5, q: 'ada', only: 'ids' }, triage)).toMatchObject({
    rows: [], found: ids.slice(0, 110), scanned: 120, cursor: null,
  })
})

test('the oldest come first where that is asked for, page by page', async () => {
  const ids = await store(...Array.from({ length: 5 }, () => ({})))
  const found: string[] = []
  for (let before: string | undefined; ;) {
    const page = await listRows({ limit: 2, sort: 'oldest', before }, triage)
    found.push(...page.found)
    if (page.cursor === null) break
    before = page.cursor
  }
  expect(found).toEqual(ids.toReversed())
})

test('a form and a platform are filtered by their keys, the default form too', async () => {
  const at = (platform: string) => ({ cards: [{ platform, threadId: 't', messageId: 'm' }] })
  const [contact, both, none] = await store({ form: 'contact' }, { form: 'contact', ...at('discord') }, at('slack'))
  const of = async (filter: Filter) => (await listRows({ limit: 5, ...filter }, triage)).found
  expect(await of({ form: 'contact' })).toEqual([contact, both])
  expect(await of({ form: '-' })).toEqual([none])
  expect(await of({ platform: 'discord' })).toEqual([both])
  expect(await of({ form: 'contact', platform: 'slack' })).toEqual([])
})

test('a state filter tells the four apart', async () => {
  const decision = { action: 'forward' as const, reviewer: { id: 'U', name: 'A', platform: 'Slack' }, at: 0 }
  const far = triage.runtime.now() + 3_600_000
  const [waits, delivers, retries, fails] = await store(
    {}, { state: 'settling', decision, work: [email({ dueAt: far })] },
    { state: 'settling', decision, work: [email({ dueAt: far, reason: 'no' })] },
    { failures: [{ delivery: 'email', reason: 'no' }] },
  )
  const of = async (state: RowState) => (await listRows({ limit: 5, state }, triage)).rows.map(({ id }) => id)
  expect([await of('waiting'), await of('delivering'), await of('retrying'), await of('failed')]).toEqual([
    [waits], [delivers], [retries], [fails],
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
  Object.assign(triage.presentation.forms.of(undefined), { claim: 'soft' })
  const until = triage.runtime.now() + 3_600_000
  const holder = { id: 'U1', name: 'Ada', platform: 'Slack', who: 'slack:U1', since: 0, until }
  const ids = await store(...Array.from({ length: 60 }, () => ({})), { holder })
  for (const [asked, who, found] of [
    ['taken', 'slack:U2', [ids.at(-1)]], ['mine', 'slack:U1', [ids.at(-1)]], ['mine', 'slack:U2', []],
  ] as const) expect(await listRows({ limit: 1, holder: asked, who }, triage)).toMatchObject({ found, scanned: 1 })
})

test('of changed submissions, those are picked that are pending and pass the filter', async () => {
  const [one, two] = await store({ data: { name: 'Ada' } }, { data: { name: 'Grace' } })
  expect(
    (await pickRows({ ids: [one!, two!, 'gone'], q: 'grace' }, triage)),
  ).toMatchObject({ rows: [{ id: two }], total: 2 })
  await triage.decide({ id: two!, action: 'forward' })
  await triage.runtime.drain()
  expect(await pickRows({ ids: [one!, two!] }, triage)).toMatchObject({ found: [one], total: 1 })
})

test('a store that does not answer is said to be unavailable', async () => {
  triage.outage.calls = 1
  await expect(listRows({ limit: 5 }, triage)).rejects.toThrow(StoreUnavailable)
})

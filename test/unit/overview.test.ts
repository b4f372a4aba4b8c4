import { afterEach, beforeEach, expect, test } from 'vitest'
import { StoreUnavailable } from '../../server/domain/errors'
import { listRows, pickRows, problemOf, stateOf, type OverviewPorts } from '../../server/domain/submission/overview'
import type { RowState } from '../../shared/types/submissions'
import type { Submission, Work } from '../../server/ports/submission'
import { openTriage, type Triage } from '../fakes/triage'
import { submissionOf } from '../fixtures/views'
import { waiting } from '../support/seed'

const label = (key: string) => key.toUpperCase()
const email = (more: Partial<Work> = {}): Work => ({ key: 'email#2', kind: 'email', attempts: 0, dueAt: 50, ...more })

let triage: Triage
let ports: OverviewPorts
beforeEach(async () => {
  triage = await openTriage()
  ports = triage
})
afterEach(() => triage.close())

/** Stores submissions a second apart; the first is the newest. */
async function store(...all: Partial<Submission>[]): Promise<string[]> {
  const submissions = all.map((changes, position) => waiting({
    receivedAt: triage.runtime.now() - position * 1000, cards: [], ...changes,
  }))
  for (const submission of submissions) await triage.store.create(submission)
  return submissions.map(({ id }) => id)
}

test('a submission waits, is being delivered, or something went wrong with it', () => {
  const open = submissionOf({})
  expect(stateOf(open)).toBe('waiting')
  expect(stateOf({ ...open, state: 'settling', work: [email()] })).toBe('delivering')
  expect(stateOf({ ...open, state: 'settling', work: [email({ attempts: 1, reason: 'no' })] })).toBe('retrying')
  expect(stateOf({ ...open, failures: [{ delivery: 'email', reason: 'no' }] })).toBe('failed')
})

test('the problem is what waits for a person, or else what is tried again soonest', () => {
  const open = submissionOf({})
  const post: Work = {
    key: 'post:slack', kind: 'post', room: 'slack', attempts: 2, reason: 'Slack: no connection.', dueAt: 30,
  }
  expect(problemOf({ ...open, work: [email({ reason: 'late' }), post] }, label)).toEqual({
    what: 'Card on SLACK', reason: 'Slack: no connection.', nextAttemptAt: 30, refused: false,
  })
  const card = { platform: 'discord', threadId: 't', messageId: 'm' }
  expect(
    problemOf({ ...open, work: [{ key: 'u', kind: 'update', card, attempts: 1, reason: 'no', dueAt: 1 }] }, label),
  ).toMatchObject({ what: 'Card update on DISCORD' })
  expect(problemOf({ ...open, work: [post], failures: [{ delivery: 'endpoint', reason: 'gone' }] }, label)).toEqual({
    what: 'Endpoint', reason: 'gone', nextAttemptAt: null, refused: false,
  })
  expect(
    problemOf({ ...open, work: [email({ reason: 'late', dueAt: 1 }), { ...post, refused: true }] }, label),
  ).toMatchObject({ what: 'Could not be posted to SLACK', nextAttemptAt: 30, refused: true })
})

test('a row previews the first fields in one line each, and counts the rest', async () => {
  const [id] = await store({
    data: { name: ' Ada\n Lovelace ', essay: 'x'.repeat(5000), order: { a: [1] }, ['n'.repeat(80)]: 2, more: 'y' },
  })
  const { rows: [row] } = await listRows({ limit: 10 }, ports)
  expect(row).toMatchObject({ id, more: 1, erased: false, state: 'waiting', problem: null })
  expect(row!.preview.map(({ value }) => value)).toEqual(['Ada Lovelace', `${'x'.repeat(159)}…`, '{"a":[1]}', '2'])
  expect(row!.preview[3]!.label).toBe(`${'n'.repeat(39)}…`)
})

test('a preview is never cut through a character', async () => {
  await store({ data: { fox: `${'x'.repeat(158)}🦊🦊` } })
  const { rows: [row] } = await listRows({ limit: 1 }, ports)
  expect(row!.preview[0]!.value.isWellFormed()).toBe(true)
})

test('a row says where its cards are', async () => {
  const id = await triage.post({ name: 'Ada' })
  const { rows } = await pickRows({ ids: [id] }, ports)
  expect(rows[0]!.cards).toEqual([{ platform: 'Slack', url: 'https://chat.example.com/slack-1' }])
})

test('filtered pages follow each other without a gap or a repetition, whatever lies between the matches', async () => {
  // Ten in a row, then none for twenty: pages end in the middle of a run, and reads in the middle of a gap.
  const isMatch = (index: number) => index % 30 < 10
  const ids = await store(
    ...Array.from({ length: 120 }, (_, index) => ({ data: { name: isMatch(index) ? `Match ${index}` : 'other' } })),
  )
  const expected = ids.filter((_, index) => isMatch(index))
  for (const limit of [1, 2, 7, 50]) {
    const found: string[] = []
    for (let before: string | undefined; ;) {
      const page = await listRows({ limit, before, q: 'MATCH' }, ports)
      expect(page.rows.length).toBeLessThanOrEqual(limit)
      expect(page.total).toBe(120)
      found.push(...page.rows.map(({ id }) => id))
      if (page.cursor === null) break
      before = page.cursor
    }
    expect(found).toEqual(expected)
  }
})

test('a search that finds nothing ends after a bounded scan, and goes on from there', async () => {
  await store(...Array.from({ length: 45 }, () => ({})))
  const page = await listRows({ limit: 2, q: 'nowhere' }, ports)
  expect(page).toMatchObject({ rows: [], scanned: 40, cursor: expect.any(String) })
  expect(await listRows({ limit: 2, q: 'nowhere', before: page.cursor! }, ports)).toMatchObject({
    rows: [], scanned: 5, cursor: null,
  })
})

test('text is searched in keys, values, nested values and the id, not only in the preview', async () => {
  const fields = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`key${index}`, { deep: `value${index}` }]))
  const [id] = await store({ data: fields }, {})
  for (const q of ['key8', 'VALUE8', ' value8 ', id!]) expect(
    (await listRows({ limit: 5, q }, ports)).rows.map(row => row.id),
  ).toEqual([id])
})

test('a state filter tells the four apart', async () => {
  const decision = { action: 'forward' as const, reviewer: { id: 'U', name: 'A', platform: 'Slack' }, at: 0 }
  const far = triage.runtime.now() + 3_600_000
  const [waits, delivers, retries, fails] = await store(
    {}, { state: 'settling', decision, work: [email({ dueAt: far })] },
    { state: 'settling', decision, work: [email({ dueAt: far, reason: 'no' })] },
    { failures: [{ delivery: 'email', reason: 'no' }] },
  )
  const of = async (state: RowState) => (await listRows({ limit: 5, state }, ports)).rows.map(({ id }) => id)
  expect([await of('waiting'), await of('delivering'), await of('retrying'), await of('failed')]).toEqual([
    [waits], [delivers], [retries], [fails],
  ])
})

test('what failed is found however much waits beside it, and every page says when it was read', async () => {
  const ids = await store(
    ...Array.from({ length: 60 }, () => ({})), { failures: [{ delivery: 'email', reason: 'no' }] },
  )
  expect(await listRows({ limit: 1, state: 'failed' }, ports)).toMatchObject({
    now: triage.runtime.now(), rows: [{ id: ids.at(-1), state: 'failed' }], total: 61, cursor: null, scanned: 1,
  })
})

test('of changed submissions, those are picked that are pending and pass the filter', async () => {
  const [one, two] = await store({ data: { name: 'Ada' } }, { data: { name: 'Grace' } })
  expect(
    (await pickRows({ ids: [one!, two!, 'gone'], q: 'grace' }, ports)),
  ).toMatchObject({ rows: [{ id: two }], total: 2 })
})

test('a store that does not answer is said to be unavailable', async () => {
  triage.outage.calls = 1
  await expect(listRows({ limit: 5 }, ports)).rejects.toThrow(StoreUnavailable)
})

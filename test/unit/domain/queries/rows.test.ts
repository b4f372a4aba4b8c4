import { beforeEach, expect, test } from 'vitest'
import { listRows, pickRows } from '../../../../server/domain/queries/listing'
import { deliveryProblem, stateOf } from '../../../../server/domain/queries/rows'
import type { Submission, Work } from '../../../../server/ports/submission'
import { openTriage, storeWaiting, type Triage } from '../../../fakes/triage'
import { submissionOf } from '../../../fixtures/views'

const label = (key: string) => key.toUpperCase()
const email = (changes: Partial<Work> = {}): Work => (
  { key: 'email#2', kind: 'email', attempts: 0, dueAt: 50, ...changes }
)

let triage: Triage
beforeEach(async () => { triage = await openTriage() })
const store = (...submissions: Partial<Submission>[]) => storeWaiting(triage, submissions)

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
  expect(deliveryProblem({ ...open, work: [email({ reason: 'late' }), post] }, label)).toEqual({
    what: 'Card on SLACK', reason: 'Slack: no connection.', nextAttemptAt: 30, refused: false,
  })
  const card = { platform: 'discord', threadId: 't', messageId: 'm' }
  expect(
    deliveryProblem(
      { ...open, work: [{ key: 'u', kind: 'update', card, attempts: 1, reason: 'no', dueAt: 1 }] }, label,
    ),
  ).toMatchObject({ what: 'Card update on DISCORD' })
  const gone = { delivery: 'endpoint', reason: 'gone' } as const
  expect(deliveryProblem({ ...open, work: [post], failures: [gone] }, label)).toEqual({
    what: 'Endpoint', reason: 'gone', nextAttemptAt: null, refused: false,
  })
  expect(
    deliveryProblem({ ...open, work: [email({ reason: 'late', dueAt: 1 }), { ...post, refused: true }] }, label),
  ).toMatchObject({ what: 'Could not be posted to SLACK', nextAttemptAt: 30, refused: true })
})

test('a row previews the first fields in one line each, and counts the rest', async () => {
  const [id] = await store({
    data: { name: ' Ada\n Lovelace ', essay: 'x'.repeat(5000), order: { a: [1] }, ['n'.repeat(80)]: 2, more: 'y' },
  })
  const { rows: [row] } = await listRows({ limit: 10 }, triage)
  expect(row).toMatchObject({ id, more: 1, erased: false, state: 'waiting', problem: null })
  expect(row!.preview.map(({ value }) => value)).toEqual(['Ada Lovelace', `${'x'.repeat(159)}…`, 'a: 1', '2'])
  expect(row!.preview[3]!.label).toBe(`${'n'.repeat(39)}…`)
})

test('a row is open as long as it can be decided, whatever becomes of its cards', async () => {
  const failingPost = { key: 'post:slack', kind: 'post', room: 'slack', attempts: 1, dueAt: 1, reason: 'late' } as const
  const ids = await store({ work: [failingPost] }, { state: 'settling', work: [email({ reason: 'late' })] })
  const { rows } = await pickRows({ ids }, triage)
  const [openRow, decidedRow] = ids.map(id => rows.find(row => row.id === id))
  expect(openRow).toMatchObject({ state: 'retrying', open: true })
  expect(decidedRow).toMatchObject({ state: 'retrying', open: false })
})

test('a preview is never cut through a character', async () => {
  await store({ data: { fox: `${'x'.repeat(158)}🦊🦊` } })
  const { rows: [row] } = await listRows({ limit: 1 }, triage)
  expect(row!.preview[0]!.value).toBe(`${'x'.repeat(158)}…`)
})

test('a row says where its cards are', async () => {
  const id = await triage.post({ name: 'Ada' })
  const { rows } = await pickRows({ ids: [id] }, triage)
  expect(rows[0]!.cards).toEqual([{ platform: 'Slack', url: 'https://chat.example.com/slack-1' }])
})

test('text is searched in keys, values, nested values and the id, not only in the preview', async () => {
  const fields = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`key${index}`, { deep: `value${index}` }]))
  const [id] = await store({ data: fields }, {})
  for (const q of ['key8', 'VALUE8', ' value8 ', id!]) expect(
    (await listRows({ limit: 5, q }, triage)).rows.map(row => row.id),
  ).toEqual([id])
})

import { expect, test } from 'vitest'
import type { Marks } from '../../../../server/domain/fields/edits'
import type { EditForm } from '../../../../server/ports/board'
import type { Submission } from '../../../../server/ports/submission'
import { Decisions } from '../../../../server/domain/review/decisions'
import type { SubmissionStore } from '../../../../server/ports/store'
import { failing } from '../../../fakes/board'
import { ADA, openTriage, type Triage } from '../../../fakes/triage'

const GRACE = { id: 'U2', name: 'Grace', platform: 'Slack' }

const marksOf = ({ inputs }: EditForm): Marks => new Map(inputs.map(({ id, mark }) => [id, mark]))

/** Runs an edit. Between its read and its write, Grace corrects a field and forwards, and her delivery fails. */
async function whileWriting(triage: Triage, id: string, write: () => Promise<unknown>): Promise<unknown> {
  const gate = Promise.withResolvers<undefined>()
  triage.outage.writes = gate.promise
  const writesBefore = triage.outage.written
  const written = write()
  await expect.poll(() => triage.outage.written).toBe(writesBefore + 1)
  triage.outage.writes = Promise.resolve()
  triage.mailer.answers.push(failing('Resend answered 422.', { permanent: true }))
  const corrected = triage.decide({ id, action: 'edit', values: { f1: '+49 30 1234' }, person: GRACE })
  expect(await corrected).toMatchObject({ kind: 'done' })
  await triage.runtime.drain()
  expect(await triage.store.get(id)).toMatchObject({ state: 'open', data: { phone: '+49 30 1234' } })
  gate.resolve(undefined)
  return written
}

test('an edit keeps what somebody else corrected between its reading and its writing', async () => {
  const triage = await openTriage()
  const id = await triage.post({ name: 'Ada', phone: '1' })
  const attempt = { id, action: 'edit', person: ADA, place: 'everywhere' } as const
  const marks = marksOf(await triage.decisions.open(attempt) as EditForm)
  const edit = () => triage.decide({ id, action: 'edit', values: { f0: 'Ada Lovelace', f1: '1' }, shown: marks })
  expect(await whileWriting(triage, id, edit)).toMatchObject({ kind: 'done' })
  expect(await triage.store.get(id)).toMatchObject({
    data: { name: 'Ada Lovelace', phone: '+49 30 1234' }, before: { name: 'Ada', phone: '1' },
  })
})

test('what does not fit the version that the edit meets is told, and nothing is decided', async () => {
  const fields = { phone: { type: 'tel' } } as const
  const triage = await openTriage({ form: { fields } })
  const id = await triage.post({ name: 'Ada', phone: 'none' })
  // The phone is submitted exactly as it was read, so it does not count as typed.
  const edit = () => triage.decide({ id, action: 'edit', values: { f0: 'Ada Lovelace', f1: 'none' } })
  const errors = { f1: 'This is not a phone number.' }
  expect(await whileWriting(triage, id, edit)).toEqual({ kind: 'invalid', errors })
  expect(await triage.store.get(id)).toMatchObject({ state: 'open', data: { name: 'Ada', phone: '+49 30 1234' } })
})

test.each<[number, string, Partial<Submission>]>([
  [0, 'nobody has used', {}], [1, 'was edited', { edited: ['name'] }], [1, 'was delivered', { delivered: ['email'] }],
  [1, 'was sent', { sent: [{ delivery: 'email', content: 'x', to: ['team@example.com'], at: 1 }] }],
  [1, 'is to be confirmed', { confirmation: { to: 'ada@example.com' } }],
])('a decision reads %i times what %s, when its record is at hand', async (times, _what, changes) => {
  const triage = await openTriage()
  const id = await triage.post({ name: 'Ada' })
  const submission = (await triage.store.get(id))!
  const nextVersion = { ...submission, version: submission.version + 1, ...changes }
  await triage.store.replace(submission, nextVersion)
  const reads: string[] = []
  const { data, ...record } = nextVersion
  const store = Object.assign(Object.create(triage.store) as SubmissionStore, {
    recall: () => record,
    get: (id: string) => {
      reads.push(id)
      return triage.store.get(id)
    },
  })
  const decisions = new Decisions({ ...triage, store }, triage.outbox, triage.reviewers)
  await decisions.decide({ id, action: 'spam', person: ADA, place: 'everywhere' })
  expect(reads).toHaveLength(times)
  await triage.runtime.drain()
})

import { expect, test } from 'vitest'
import type { Marks } from '../../../../server/domain/submission/fields'
import type { EditForm } from '../../../../server/ports/board'
import { failing } from '../../../fakes/board'
import { ADA, openTriage, type Triage } from '../../../fakes/triage'

const GRACE = { id: 'U2', name: 'Grace', platform: 'Slack' }

const marksOf = ({ inputs }: EditForm): Marks => new Map(inputs.map(({ id, mark }) => [id, mark]))

/** Between somebody's reading and writing, Grace corrects a field, and forwards what cannot be delivered. */
async function whileWriting(triage: Triage, id: string, write: () => Promise<unknown>): Promise<unknown> {
  const gate = Promise.withResolvers<undefined>()
  triage.outage.writes = gate.promise
  const before = triage.outage.written
  const written = write()
  await expect.poll(() => triage.outage.written).toBe(before + 1)
  triage.outage.writes = Promise.resolve()
  triage.mailer.answers.push(failing('Resend answered 422.', { permanent: true }))
  expect(await triage.review.decideEdited(id, { f1: '+49 30 1234' }, GRACE)).toMatchObject({ claimed: true })
  await triage.runtime.drain()
  expect(await triage.store.get(id)).toMatchObject({ state: 'open', data: { phone: '+49 30 1234' } })
  gate.resolve(undefined)
  return written
}

test('an edit keeps what somebody else corrected between its reading and its writing', async () => {
  const triage = await openTriage()
  const id = await triage.post({ name: 'Ada', phone: '1' })
  const shown = marksOf(await triage.review.edit(id, ADA) as EditForm)
  const edit = () => triage.review.decideEdited(id, { f0: 'Ada Lovelace', f1: '1' }, ADA, { shown })
  expect(await whileWriting(triage, id, edit)).toMatchObject({ claimed: true })
  expect(await triage.store.get(id)).toMatchObject({
    data: { name: 'Ada Lovelace', phone: '+49 30 1234' }, before: { name: 'Ada', phone: '1' },
  })
  await triage.close()
})

test('what does not fit the version that the edit meets is told, and nothing is decided', async () => {
  const fields = { phone: { type: 'tel' } } as const
  const triage = await openTriage({ form: { fields } })
  const id = await triage.post({ name: 'Ada', phone: 'none' })
  // As it stood there when it was read, so nobody typed it.
  const edit = () => triage.review.decideEdited(id, { f0: 'Ada Lovelace', f1: 'none' }, ADA)
  expect(await whileWriting(triage, id, edit)).toEqual({ errors: { f1: 'This is not a phone number.' } })
  expect(await triage.store.get(id)).toMatchObject({ state: 'open', data: { name: 'Ada', phone: '+49 30 1234' } })
  await triage.close()
})

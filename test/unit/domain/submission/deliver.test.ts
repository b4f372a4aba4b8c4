import { afterEach, beforeEach, expect, test } from 'vitest'
import { isOver } from '../../../../server/domain/submission/trace'
import { openTriage, type Triage } from '../../../fakes/triage'

let triage: Triage

beforeEach(async () => { triage = await openTriage() })

afterEach(() => triage.close())

test('an email that others keep waiting is put off, and no attempt is counted', async () => {
  triage.mailer.answers.push({ ok: false, reason: 'Others go first.', permanent: false, busy: true })
  const id = await triage.post({ name: 'Ada' })
  await triage.forward(id)
  expect((await triage.store.get(id))!.work.find(({ kind }) => kind === 'email')).toMatchObject({ attempts: 0 })
  triage.runtime.time += 60_000
  await triage.sweep()
  await triage.runtime.drain()
  expect(triage.mailer.calls).toHaveLength(2)
  expect(await triage.store.get(id)).toSatisfy(isOver)
})

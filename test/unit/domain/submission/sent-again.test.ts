import { expect, test } from 'vitest'
import { OpsSubmissions } from '../../../../server/domain/submission/ops-submissions'
import { openTriage } from '../../../fakes/triage'

const LOCAL = { id: 'local', name: 'Local', platform: 'Ops page' }

test.each([
  { action: 'forward' }, { action: 'spam' }, { action: 'erase' }, { action: 'take' }, { action: 'hand-back' },
])('what is sent again because its answer was lost is done once, whatever is left of it: $action', async ({ action }) => {
  const triage = await openTriage({ form: { claim: 'soft' } })
  const submissions = new OpsSubmissions(triage)
  const id = await triage.post({ name: 'Ada' })
  const press = { action, press: 'p1' }
  expect(await submissions.decide(id, press, LOCAL)).toBeNull()
  await triage.runtime.drain()
  const before = await triage.store.get(id)
  expect(await submissions.decide(id, press, LOCAL)).toBeNull()
  await triage.runtime.drain()
  expect(await triage.store.get(id)).toEqual(before)
  if (!before!.data) await expect(submissions.decide(id, { action, press: 'p2' }, LOCAL)).rejects.toThrow('Local')
  await triage.runtime.drain()
  await triage.close()
})

test('an email that came back from many addresses goes to all of them again, as they stand in the form', async () => {
  const team = Array.from({ length: 50 }, (_, index) => `${index}-${'a'.repeat(60)}@${'example.'.repeat(20)}com`)
  const triage = await openTriage({ form: { to: team } })
  const submissions = new OpsSubmissions(triage)
  const id = await triage.post({ name: 'Ada' })
  triage.mailer.answers.push({ ok: true, value: 'm1' })
  await submissions.decide(id, { action: 'forward' }, LOCAL)
  await triage.runtime.drain()
  await triage.outbox.apply(id, [{ type: 'receipt', messageId: 'm1', receipt: { verdict: 'bounced' } }])
  expect(await submissions.decide(id, { action: 'resend', to: team.join(', ') }, LOCAL)).toBeNull()
  await triage.runtime.drain()
  expect(triage.mailer.calls.map(({ email }) => email.to)).toEqual([team, team])
  await triage.close()
})

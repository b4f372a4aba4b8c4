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

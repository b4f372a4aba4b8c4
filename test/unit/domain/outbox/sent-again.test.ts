import { expect, test } from 'vitest'
import { AlreadyDecided } from '../../../../server/domain/errors'
import { openTriage, submissionsIn } from '../../../fakes/triage'

const LOCAL = { id: 'local', name: 'Local', platform: 'Ops page' }

test.each([
  { action: 'forward' }, { action: 'spam' }, { action: 'erase' }, { action: 'take' }, { action: 'hand-back' },
])('what is sent again because its answer was lost is done once, whatever is left of it: $action', async ({ action }) => {
  const triage = await openTriage({ form: { claim: 'soft' } })
  const submissions = submissionsIn(triage)
  const id = await triage.post({ name: 'Ada' })
  const press = { action, press: 'p1' }
  expect(await submissions.decide(id, press, LOCAL)).toBeNull()
  await triage.runtime.drain()
  const decidedSubmission = await triage.store.get(id)
  expect(await submissions.decide(id, press, LOCAL)).toBeNull()
  await triage.runtime.drain()
  expect(await triage.store.get(id)).toEqual(decidedSubmission)
  if (!decidedSubmission!.data) {
    await expect(submissions.decide(id, { action, press: 'p2' }, LOCAL)).rejects.toThrow('Local')
  }
  await triage.runtime.drain()
})

const BOB = { id: 'bob', name: 'Bob', platform: 'Ops page' }

test('a press is of one person for one action, whatever others call theirs', async () => {
  const triage = await openTriage({ form: { claim: 'soft' }, revocableMs: { forward: 0, spam: 60_000 } })
  const submissions = submissionsIn(triage)
  const id = await triage.post({ name: 'Ada' })
  const decide = (action: string, person = LOCAL) => submissions.decide(id, { action, press: 'p' }, person)
  for (const [action, holder] of [['take', 'Local'], ['hand-back', undefined]] as const) {
    expect(await decide(action)).toBeNull()
    expect((await triage.store.get(id))!.holder?.name).toBe(holder)
  }
  for (const person of [LOCAL, BOB]) {
    expect(await decide('spam', person)).toBeNull()
    expect((await triage.store.get(id))!.decision?.reviewer).toMatchObject({ name: person.name })
    expect(await decide('reopen', person)).toBeNull()
    expect((await triage.store.get(id))!.state).toBe('open')
  }
  const edit = (name: string) => submissions.decide(id, { action: 'edit', values: { f0: name }, press: 'e' }, LOCAL)
  for (const _ of ['first', 'again']) expect(await edit('Grace')).toBeNull()
  await expect(edit('Lin')).rejects.toThrow(AlreadyDecided)
  await triage.runtime.drain()
})

test('a press whose outcome was undone is refused, and says what to do', async () => {
  const triage = await openTriage({ form: { claim: 'soft' }, revocableMs: { forward: 0, spam: 60_000 } })
  const submissions = submissionsIn(triage)
  const id = await triage.post({ name: 'Ada' })
  for (const [action, undoing] of [
    ['spam', 'reopen'], ['take', 'hand-back'], ['reopen', 'spam'], ['hand-back', 'take'],
  ] as const) {
    // Make the decision first: only then can it be undone.
    if (action === 'reopen' || action === 'hand-back') await submissions.decide(id, { action: undoing }, LOCAL)
    await submissions.decide(id, { action, press: 'p' }, LOCAL)
    await triage.settle(submissions.decide(id, { action: undoing }, LOCAL))
    const decidedSubmission = await triage.store.get(id)
    const repetition = submissions.decide(id, { action, press: 'p' }, LOCAL)
    await expect(repetition, action).rejects.toThrow(/You did this already, and it was undone since\./)
    expect(await triage.store.get(id)).toEqual(decidedSubmission)
    if (action === 'reopen') await submissions.decide(id, { action }, LOCAL)
  }
  await triage.runtime.drain()
})

test.each(['release', 'erase'])('a %s that is sent again stays done', async (action) => {
  const triage = await openTriage()
  const submissions = submissionsIn(triage)
  const id = await triage.receive({ name: 'Ada' }, { held: true })
  for (let attempt = 0; attempt < 2; attempt++) {
    expect(await submissions.decide(id, { action, press: 'p' }, LOCAL)).toBeNull()
  }
  expect((await triage.store.get(id))!.state).toBe(action === 'release' ? 'open' : 'erased')
  await triage.runtime.drain()
})

test.each([
  ['{"f99":"x"}', ['f99']], ['{"f0":"Grace","f00":"x"}', ['f00']],
])('values that name no input decide nothing: %s', async (values, wrong) => {
  const triage = await openTriage()
  const submissions = submissionsIn(triage)
  const id = await triage.post({ name: 'Ada' })
  const request = JSON.parse(`{"action":"edit","values":${values}}`) as object
  expect(Object.keys((await submissions.decide(id, request, LOCAL))!.errors)).toEqual(wrong)
  expect((await triage.store.get(id))!.state).toBe('open')
})

test('an email that came back from many addresses goes to all of them again, as they stand in the form', async () => {
  const team = Array.from({ length: 50 }, (_, index) => `${index}-${'a'.repeat(60)}@${'example.'.repeat(20)}com`)
  const triage = await openTriage({ form: { to: team } })
  const submissions = submissionsIn(triage)
  const id = await triage.post({ name: 'Ada' })
  triage.mailer.answers.push({ ok: true, value: 'm1' })
  await triage.settle(submissions.decide(id, { action: 'forward' }, LOCAL))
  await triage.outbox.apply(id, [{ type: 'receipt', messageId: 'm1', receipt: { verdict: 'bounced' } }])
  expect(await submissions.decide(id, { action: 'resend', to: team.join(', ') }, LOCAL)).toBeNull()
  await triage.runtime.drain()
  expect(triage.mailer.calls.map(({ email }) => email.to)).toEqual([team, team])
})

import { beforeEach, expect, test } from 'vitest'
import {
  AlreadyDecided, InvalidRequest, StoreUnavailable, SubmissionEnded, SubmissionGone, AlreadyAssigned, WrongState,
} from '../../../../server/domain/errors'
import type { Decisions } from '../../../../server/domain/review/decisions'
import type { OpsSubmissions } from '../../../../server/domain/queries/ops-submissions'
import type { Person, Submission } from '../../../../server/ports/submission'
import { failing } from '../../../fakes/board'
import { only } from '../../../fakes/only'
import { ADA, openTriage, type Triage, submissionsIn } from '../../../fakes/triage'
import { PRESENTATION } from '../../../fixtures/views'
import { inWords } from '../../../support/words'

const LOCAL = { id: 'local', name: 'Local', platform: 'Ops page', role: 'reviewer' } as const
let triage: Triage
let submissions: OpsSubmissions
beforeEach(async () => {
  triage = await openTriage()
  submissions = submissionsIn({ ...triage, ...PRESENTATION })
})
test('a submission is shown in full, with what happened and where its card is', async () => {
  const id = await triage.post({ name: 'Ada', order: { a: 1 }, count: 2, __proto__x: null })
  expect(await submissions.show(id, LOCAL)).toMatchObject({
    id, state: 'waiting', open: true, erased: false, notes: [], work: [], problem: null,
    fields: [
      { id: 'f0', label: 'name', kind: 'text', value: 'Ada' }, { id: 'f1', kind: 'tree', value: '{"a":1}' },
      { id: 'f2', kind: 'json', value: '2' }, { id: 'f3', kind: 'json', value: 'null' },
    ],
    cards: [{ platform: 'Slack', url: 'https://chat.example.com/slack-1' }],
    history: [{ text: 'Received' }, { text: 'Card posted on Slack' }],
    destinations: ['team@example.com', 'downstream.example.com'],
  })
})

test('a delivery that fails is shown with its reason, its attempts and the next one', async () => {
  const id = await triage.post({ name: 'Ada' })
  triage.mailer.answers.push(failing('Resend answered 500.'))
  await triage.settle(submissions.decide(id, { action: 'forward' }, LOCAL))
  const details = await submissions.show(id, LOCAL)
  expect(details).toMatchObject({
    state: 'retrying', open: false,
    problem: { what: 'Email', reason: 'Resend answered 500.', nextAttemptAt: expect.any(Number) },
    work: [{ what: 'Email', attempts: 1 }],
  })
  expect(inWords(details.notes)).toEqual([
    expect.stringMatching(/^Forwarded by Local on Ops page, .*UTC\.$/), 'Sent to downstream.example.com',
  ])
  expect(details.history.map(({ text }) => text)).toEqual(
    expect.arrayContaining(['Forwarded by Local on Ops page', 'Endpoint delivered, answered 200', 'Email failed']),
  )
})

test('an email that came back goes where it went last, unless another address is given', async () => {
  const { mailer, outbox } = triage
  const id = await triage.post({ name: 'Ada' })
  const send = async (decision: object, messageId: string) => {
    mailer.answers.push({ ok: true, value: messageId })
    await triage.settle(submissions.decide(id, decision, LOCAL))
    const submission = (await triage.store.get(id))!
    await outbox.apply(id, [{ type: 'receipt', messageId, receipt: { verdict: 'bounced' } }], submission)
  }
  await send({ action: 'forward' }, 'm1')
  await send({ action: 'resend', to: 'ada@example.com' }, 'm2')
  await send({ action: 'resend' }, 'm3')
  expect(mailer.calls.map(({ email }) => email.to)).toEqual([
    ['team@example.com'], ['ada@example.com'], ['ada@example.com'],
  ])
})

test('an email to another address is shown as going there', async () => {
  const id = await triage.post({ name: 'Ada' })
  const { submission: decidedSubmission } = await triage.outbox.apply(id, [{
    type: 'claimed', action: 'forward', reviewer: ADA, deliveries: ['email'], to: ['ada@example.com'],
  }]) as { submission: Submission }
  expect(decidedSubmission.state).toBe('settling')
  expect(inWords(await submissions.show(id, LOCAL))).toMatchObject({
    destinations: ['ada@example.com', 'downstream.example.com'],
    notes: [expect.stringMatching(/^Forwarded by Ada/), 'Being sent to ada@example.com'],
  })
})

test('what is over is told from what never was, and how it ended', async () => {
  const id = await triage.post({ name: 'Ada' })
  await triage.settle(submissions.decide(id, { action: 'edit', values: { f0: 'Grace' } }, ADA))
  await expect(submissions.show(id, LOCAL)).rejects.toThrow(SubmissionEnded)
  await expect(submissions.show(id, LOCAL)).rejects.toThrow(
    /^Edited and forwarded by Ada on Slack, 21 Nov 2026, 12:00 UTC\.$/,
  )
  await expect(submissions.show('never', LOCAL)).rejects.toThrow(SubmissionGone)
  expect(triage.endpoint.calls).toMatchObject([{ body: '{"name":"Grace"}' }])
})

test('a late decision is refused with who was faster, done or still under way', async () => {
  const id = await triage.post({ name: 'Ada' })
  triage.mailer.answers.push(failing('Resend answered 500.'))
  await triage.settle(submissions.decide(id, { action: 'forward' }, ADA))
  await expect(submissions.decide(id, { action: 'spam' }, LOCAL)).rejects.toThrow(
    /^Forwarded by Ada on Slack, .* UTC\.$/,
  )
  const spamId = await triage.post({ name: 'Ada' })
  await triage.settle(submissions.decide(spamId, { action: 'spam' }, ADA))
  for (const body of [{ action: 'forward' }, { action: 'edit', values: {} }]) {
    await expect(submissions.decide(spamId, body, LOCAL)).rejects.toThrow(
      /^Marked as spam by Ada on Slack, 21 Nov 2026, 12:00 UTC\.$/,
    )
  }
  await expect(submissions.decide('never', { action: 'forward' }, LOCAL)).rejects.toThrow(SubmissionGone)
})

test('only an email that came back goes to another address, and the history and the audit trail say where', async () => {
  const id = await triage.post({ name: 'Ada' })
  const request = { action: 'resend', to: 'grace@example.com' }
  triage.mailer.answers.push({ ok: false, permanent: true, reason: 'No.' })
  triage.endpoint.answers.push({ ok: false, permanent: true, reason: 'No.' })
  await triage.settle(submissions.decide(id, { action: 'forward' }, ADA))
  await expect(submissions.decide(id, request, LOCAL)).rejects.toThrow(/did not bounce/)
  triage.mailer.answers.push({ ok: true, value: 'm1' })
  triage.endpoint.answers.push({ ok: false, permanent: true, reason: 'No.' })
  await triage.settle(submissions.decide(id, { action: 'resend' }, ADA))
  await expect(submissions.decide(id, request, LOCAL)).rejects.toThrow(/did not bounce/)
  expect(triage.mailer.calls.map(({ email }) => email.to)).toEqual([['team@example.com'], ['team@example.com']])

  await triage.outbox.apply(id, [{ type: 'receipt', messageId: 'm1', receipt: { verdict: 'bounced' } }])
  triage.endpoint.answers.push({ ok: false, permanent: true, reason: 'No.' })
  await triage.settle(submissions.decide(id, request, LOCAL))
  expect(triage.mailer.calls.at(-1)!.email.to).toEqual(['grace@example.com'])
  const { history } = await submissions.show(id, LOCAL)
  expect(history.map(({ text }) => text)).toContain('Forwarded by Local on Ops page, to grace@example.com')
  const auditLines = await triage.store.audit(9)
  expect(auditLines.flatMap(({ reviewer, to }) => to ? [[reviewer?.name, to]] : [])).toEqual([
    ['Local', ['grace@example.com']],
  ])
})

test('an edit that does not fit its field decides nothing and says which', async () => {
  const id = await triage.post({ list: [1, 2], name: 'Ada' })
  expect(await submissions.decide(id, { action: 'edit', values: { f0: '{}', f1: 'Grace' } }, LOCAL)).toEqual({
    kind: 'invalid', errors: { f0: expect.stringContaining('JSON list') },
  })
  expect(await submissions.show(id, LOCAL)).toMatchObject({
    state: 'waiting', fields: [{ value: '[1,2]' }, { value: 'Ada' }],
  })
})

test('a decision that is none is refused with what one looks like', async () => {
  for (const body of [
    null, [], 'forward', {}, { action: 'delete' }, { action: 'edit' }, { action: 'edit', values: { f0: 1 } },
    { action: 'edit', values: { __proto: 'x' } }, { action: 'edit', values: { ['__proto__']: 'x' } },
  ]) {
    await expect(submissions.decide('one', body, LOCAL)).rejects.toThrow(InvalidRequest)
  }
})

test('a query that is none is refused with what is wrong', async () => {
  for (const [query, message] of [[{ limit: 'ten' }, 'limit: must be a number'], [{ limit: 101 }, 'at most 100'], [
    { state: 'open' }, 'state: must be one of waiting',
  ], [{ q: 'x'.repeat(201) }, '200'], [{ ids: 'one' }, 'ids: must be a list'], [
    { ids: [], state: 'done' }, 'state: finished submissions cannot be listed by ids',
  ]] as const) {
    await expect(submissions.list(query, LOCAL)).rejects.toThrow(InvalidRequest)
    await expect(submissions.list(query, LOCAL)).rejects.toThrow(message)
  }
  await expect(submissions.list([], LOCAL)).rejects.toThrow(InvalidRequest)
})

test('with the store away, a decision says so', async () => {
  const id = await triage.post({ name: 'Ada' })
  triage.outage.calls = 1
  await expect(submissions.decide(id, { action: 'spam' }, LOCAL)).rejects.toThrow(StoreUnavailable)
})

test('whoever has signed in takes what waits and hands it back; rows and the page say who has it, and filters know', async () => {
  const take = (id: string, viewer: Person) => submissions.decide(id, { action: 'take' }, viewer)
  const handBack = (id: string, viewer: Person) => submissions.decide(id, { action: 'hand-back' }, viewer)
  await expect(take(await triage.post({ name: 'Ada' }), LOCAL)).rejects.toThrow(WrongState)
  triage = await openTriage({ form: { claim: 'soft' } })
  submissions = submissionsIn(triage)
  const [firstId, secondId, thirdId] = [
    await triage.post({ name: 'one' }), await triage.post({ name: 'two' }), await triage.post({ name: 'three' }),
  ]
  const ada = { ...ADA, role: 'reviewer' } as const
  await take(firstId, LOCAL)
  await take(firstId, LOCAL)
  await triage.settle(take(secondId, ada))
  const holder = { name: 'Local', platform: 'Ops page', since: triage.runtime.now() }
  const actionFor = async (id: string, viewer: typeof LOCAL | typeof ada) => (await submissions.show(id, viewer)).taking
  expect(inWords(await submissions.show(firstId, LOCAL))).toMatchObject({
    holder, notes: ['Local has it (Ops page, 12:00 UTC)'],
  })
  expect([await actionFor(firstId, LOCAL), await actionFor(firstId, ada), await actionFor(thirdId, ada)]).toEqual([
    'hand-back', null, 'take',
  ])
  expect((await submissions.show(thirdId, { ...ada, role: 'viewer' } as never)).taking).toBeNull()
  const listIds = async (query: object) => (await submissions.list(query, LOCAL)).rows.map(({ id }) => id).sort()
  const ids = [firstId, secondId, thirdId]
  for (const idFilter of [{}, { ids }]) {
    expect(await listIds({ holder: 'mine', ...idFilter })).toEqual([firstId])
    expect(await listIds({ holder: 'taken', ...idFilter })).toEqual([firstId, secondId].sort())
    expect(await listIds({ holder: 'free', ...idFilter })).toEqual([thirdId])
    expect(await listIds({ holder: 'free', q: 'two', ...idFilter })).toEqual([])
  }
  expect((await submissions.list({ q: 'one' }, ada)).rows[0]).toMatchObject({ holder })
  await expect(take(firstId, ada)).rejects.toThrow(/^Local \(Ops page\) has had it since 12:00 UTC\.$/)
  await expect(handBack(firstId, ada)).rejects.toThrow(AlreadyAssigned)
  await expect(submissions.decide(firstId, { action: 'spam' }, ada)).rejects.toThrow(/^Local \(Ops page\) has had it/)
  await handBack(firstId, LOCAL)
  expect((await submissions.show(firstId, LOCAL)).holder).toBeNull()
  await submissions.decide(secondId, { action: 'spam' }, ada)
  await expect(take(secondId, LOCAL)).rejects.toThrow(AlreadyDecided)
  await triage.runtime.drain()
})

test('many decisions are a few at a time, and end with the first that the store does not answer', async () => {
  const ids = await Promise.all(Array.from({ length: 30 }, () => triage.post({ name: 'Ada' })))
  let [runningCount, maxRunning] = [0, 0]
  const decisions = { refusal: async () => null, decide: async ({ id }: { id: string }) => {
    maxRunning = Math.max(maxRunning, ++runningCount)
    await triage.runtime.turn()
    runningCount--
    if (id === ids[20]) throw new Error('away')
    return { kind: 'done' as const }
  } }
  const otherSubmissions = submissionsIn({ ...triage, decisions: only<Decisions>(decisions) })
  const results = await otherSubmissions.decideAll({ ids, action: 'take' }, LOCAL)
  expect(maxRunning).toBe(8)
  expect(results.map(({ id }) => id)).toEqual(ids)
  expect(results.slice(0, 20).every(({ error }) => error === null)).toBe(true)
  expect(results[20]!.error).toBeInstanceOf(StoreUnavailable)
  expect(results.at(-1)!.error).toBe(results[20]!.error)
})

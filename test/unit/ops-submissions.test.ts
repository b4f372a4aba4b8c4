import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  AlreadyDecided, InvalidRequest, StoreUnavailable, SubmissionEnded, SubmissionGone,
} from '../../server/domain/errors'
import { OpsSubmissions } from '../../server/domain/submission/ops-submissions'
import { historyLine } from '../../server/domain/submission/details'
import { failing } from '../fakes/board'
import { ADA, openTriage, type Triage } from '../fakes/triage'
import { PRESENTATION } from '../fixtures/views'

const LOCAL = { id: 'local', name: 'Local', platform: 'Ops page' }
let triage: Triage
let submissions: OpsSubmissions
beforeEach(async () => {
  triage = await openTriage()
  submissions = new OpsSubmissions({ ...triage, presentation: PRESENTATION })
})
afterEach(() => triage.close())

test('a submission is shown in full, with what happened and where its card is', async () => {
  const id = await triage.post({ name: 'Ada', order: { a: 1 }, count: 2, __proto__x: null })
  expect(await submissions.show(id)).toMatchObject({
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
  await submissions.decide(id, { action: 'forward' }, LOCAL)
  await triage.runtime.drain()
  const shown = await submissions.show(id)
  expect(shown).toMatchObject({
    state: 'retrying', open: false,
    problem: { what: 'Email', reason: 'Resend answered 500.', nextAttemptAt: expect.any(Number) },
    work: [{ what: 'Email', attempts: 1 }],
  })
  expect(shown.notes).toEqual([
    expect.stringMatching(/^Forwarded by Local on Ops page, .*UTC\.$/), 'Sent to downstream.example.com',
  ])
  expect(shown.history.map(({ text }) => text)).toEqual(
    expect.arrayContaining(['Forwarded by Local on Ops page', 'Endpoint delivered', 'Email failed']),
  )
})

test('what is over is told from what never was, and how it ended', async () => {
  const id = await triage.post({ name: 'Ada' })
  await submissions.decide(id, { action: 'edit', values: { f0: 'Grace' } }, ADA)
  await triage.runtime.drain()
  await expect(submissions.show(id)).rejects.toThrow(
    new SubmissionEnded('Edited and forwarded by Ada on Slack, 21 Nov 2026, 12:00 UTC.'),
  )
  await expect(submissions.show('never')).rejects.toThrow(SubmissionGone)
  expect(triage.endpoint.calls).toMatchObject([{ body: '{"name":"Grace"}' }])
})

test('a late decision is refused with who was faster, done or still under way', async () => {
  const id = await triage.post({ name: 'Ada' })
  triage.mailer.answers.push(failing('Resend answered 500.'))
  await submissions.decide(id, { action: 'forward' }, ADA)
  await triage.runtime.drain()
  await expect(submissions.decide(id, { action: 'spam' }, LOCAL)).rejects.toThrow(
    /^Forwarded by Ada on Slack, .* UTC\.$/,
  )
  const spam = await triage.post({ name: 'Ada' })
  await submissions.decide(spam, { action: 'spam' }, ADA)
  await triage.runtime.drain()
  for (const body of [{ action: 'forward' }, { action: 'edit', values: {} }]) {
    await expect(submissions.decide(spam, body, LOCAL)).rejects.toThrow(
      new AlreadyDecided('Marked as spam by Ada on Slack, 21 Nov 2026, 12:00 UTC.'),
    )
  }
  await expect(submissions.decide('never', { action: 'forward' }, LOCAL)).rejects.toThrow(SubmissionGone)
})

test('an edit that does not fit its field decides nothing and says which', async () => {
  const id = await triage.post({ list: [1], name: 'Ada' })
  expect(await submissions.decide(id, { action: 'edit', values: { f0: '{}', f1: 'Grace' } }, LOCAL)).toEqual({
    errors: { f0: expect.stringContaining('JSON list') },
  })
  expect(await submissions.show(id)).toMatchObject({ state: 'waiting', fields: [{ value: '[1]' }, { value: 'Ada' }] })
})

test('a decision that is none is refused with what one looks like', async () => {
  for (const body of [
    null, [], 'forward', {}, { action: 'delete' }, { action: 'edit' }, { action: 'edit', values: { f0: 1 } },
    { action: 'edit', values: { __proto: 'x' } },
  ]) {
    await expect(submissions.decide('one', body, LOCAL)).rejects.toThrow(InvalidRequest)
  }
})

test('a query that is none is refused with what is wrong', async () => {
  for (const [query, said] of [[{ limit: 'ten' }, 'limit: it is not a number'], [{ limit: 101 }, 'more than 100'], [
    { state: 'open' }, 'state: it is none of waiting',
  ], [{ q: 'x'.repeat(201) }, '200'], [{ ids: 'one' }, 'ids: it is not a list']] as const) {
    await expect(submissions.list(query)).rejects.toThrow(InvalidRequest)
    await expect(submissions.list(query)).rejects.toThrow(said)
  }
  await expect(submissions.list([])).rejects.toThrow(InvalidRequest)
})

test('with the store away, a decision says so', async () => {
  const id = await triage.post({ name: 'Ada' })
  triage.outage.calls = 1
  await expect(submissions.decide(id, { action: 'spam' }, LOCAL)).rejects.toThrow(StoreUnavailable)
})

test('history is told in words', () => {
  const text = (entry: Parameters<typeof historyLine>[0]) => historyLine(entry, key => key.toUpperCase())
  expect(text({ at: 1, event: 'claimed', action: 'spam', edited: false, reviewer: ADA })).toEqual({
    at: 1, event: 'claimed', text: 'Marked as spam by Ada on Slack', reason: null, againAt: null,
  })
  expect(text({ at: 2, event: 'failed', kind: 'update', room: 'slack', reason: 'no', again: 9 })).toMatchObject({
    text: 'Card update on SLACK failed', reason: 'no', againAt: 9,
  })
  expect(text({ at: 3, event: 'failed', kind: 'email', reason: 'no', again: null })).toMatchObject({
    text: 'Email failed', againAt: null,
  })
  expect(text({ at: 4, event: 'reopened' })).toMatchObject({ text: 'Open for a decision again' })
})

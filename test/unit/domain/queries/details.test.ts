import { beforeEach, expect, test } from 'vitest'
import type { SubmissionEnded } from '../../../../server/domain/errors'
import { historyLine } from '../../../../server/domain/queries/details'
import type { OpsSubmissions } from '../../../../server/domain/queries/ops-submissions'
import type { HistoryEntry } from '../../../../server/ports/submission'
import { failing, ok } from '../../../fakes/board'
import { ADA, openTriage, type Triage, submissionsIn } from '../../../fakes/triage'
import { inWords } from '../../../support/words'

const LOCAL = { id: 'local', name: 'Local', platform: 'Ops page', role: 'reviewer' } as const
let triage: Triage
let submissions: OpsSubmissions
beforeEach(async () => {
  triage = await openTriage()
  submissions = submissionsIn(triage)
})
test('what is over comes with what is still known of it, and can be erased as long as a card shows it', async () => {
  const id = await triage.post({ name: 'Ada' })
  await triage.settle(submissions.decide(id, { action: 'forward' }, ADA))
  const loadEnded = async () => {
    const error = await submissions.show(id, LOCAL).catch((error: unknown) => error) as SubmissionEnded
    return { message: error.message, submission: inWords(error.submission) }
  }
  expect(await loadEnded()).toMatchObject({ submission: {
    id, state: 'done', open: false, erased: true, erasedAt: null, mayErase: true, fields: [],
    notes: [expect.stringMatching(/^Forwarded by Ada/), 'Sent to team@example.com and downstream.example.com'],
    cards: [{ platform: 'Slack' }],
  } })
  await triage.settle(submissions.decide(id, { action: 'erase' }, LOCAL))
  expect(await loadEnded()).toMatchObject({
    message: expect.stringMatching(/^Erased by Local/),
    submission: {
      mayErase: false, erasedAt: expect.any(Number),
      notes: [expect.stringMatching(/^Erased by Local/), expect.stringMatching(/^Sent to/)],
    },
  })
})

test('a list of texts is shown and edited with a line each, any other as a tree', async () => {
  const triage = await openTriage({ form: { fields: {
    extras: { type: 'checkboxes', options: ['Card', 'Bow'] }, none: { type: 'checkboxes', options: ['Card'] },
  } } })
  const id = await triage.post({ extras: ['Bow', 'Card'], none: [], list: ['a', 'b'], deep: [{ a: { b: 1 } }, 2] })
  expect((await submissionsIn(triage).show(id, LOCAL)).fields).toMatchObject([
    { kind: 'text', value: 'Card\nBow', shown: 'Bow\nCard', type: 'checkboxes', options: ['Card', 'Bow'] },
    { kind: 'text', value: '', options: ['Card'] }, { kind: 'text', value: 'a\nb' },
    { kind: 'tree', value: '[{"a":{"b":1}},2]' },
  ])
})

test('until when form data is kept is said as the store keeps it', async () => {
  const id = await triage.post({ name: 'Ada' })
  const submission = (await triage.store.get(id))!
  const revocableUntil = triage.runtime.now() + 60_000
  const decision = { action: 'forward', reviewer: ADA, at: triage.runtime.now() } as const
  await triage.store.replace(submission, {
    ...submission, version: submission.version + 1, state: 'settled', decision, delivered: ['email'],
    keptUntil: revocableUntil,
  })
  expect(await submissions.show(id, LOCAL)).toMatchObject({ state: 'done', erased: false, expiresAt: revocableUntil })
})

const GRACE = { id: 'U2', name: 'Grace', platform: 'Slack' }

test.each<[text: string, entry: HistoryEntry]>([
  ['Held: its hidden field was filled in', { at: 1, event: 'held' }],
  ['Held: its sender did not pass the human check', { at: 1, event: 'held', failedCheck: true }],
  ['Released by Ada on Slack', { at: 1, event: 'released', reviewer: ADA }],
  ['Erased by Ada on Slack', { at: 1, event: 'erased', reviewer: ADA }],
  ['Card deleted on SLACK', { at: 1, event: 'card-deleted', room: 'slack' }],
  ['Reminded: 1 day left', { at: 1, event: 'reminded' }],
  ['Expired, data erased', { at: 1, event: 'expired' }],
  ['Confirmed to its sender', { at: 1, event: 'confirmed' }],
  ['Edited and forwarded by Ada on Slack, to a@example.com, b@example.com', {
    at: 1, event: 'claimed', action: 'forward', edited: true, reviewer: ADA, to: ['a@example.com', 'b@example.com'],
  }],
  ['Taken by Ada on Slack', { at: 1, event: 'taken', reviewer: ADA }],
  ['Given to Ada on Slack by Grace on Slack', { at: 1, event: 'taken', reviewer: ADA, by: GRACE }],
  ['Handed back by Ada on Slack', { at: 1, event: 'returned', reviewer: ADA }],
  ['Unassigned Ada on Slack: no longer a reviewer', { at: 1, event: 'freed', reviewer: ADA, left: true }],
  ['Unassigned Ada on Slack: the time is over', { at: 1, event: 'freed', reviewer: ADA, left: false }],
  ['Not spam, says Ada on Slack', { at: 1, event: 'revoked', action: 'spam', reviewer: ADA }],
  ['Taken back by Ada on Slack', { at: 1, event: 'revoked', action: 'forward', reviewer: ADA }],
])('history says %j', (text, entry) => {
  expect(historyLine(entry, key => key.toUpperCase()).text).toBe(text)
})

test('history is told in words', () => {
  const text = (entry: Parameters<typeof historyLine>[0]) => historyLine(entry, key => key.toUpperCase())
  expect(text({ at: 1, event: 'claimed', action: 'spam', edited: false, reviewer: ADA })).toEqual({
    at: 1, event: 'claimed', text: 'Marked as spam by Ada on Slack', reason: null, againAt: null, verdict: null,
    ms: null, status: null, answer: null, repeated: null,
  })
  expect(text({ at: 2, event: 'failed', kind: 'update', room: 'slack', reason: 'no', again: 9 })).toMatchObject({
    text: 'Card update on SLACK failed', reason: 'no', againAt: 9,
  })
  expect(text({ at: 3, event: 'failed', kind: 'email', reason: 'no', again: null })).toMatchObject({
    text: 'Email failed', againAt: null,
  })
  const attempt = { ms: 12, status: 500, answer: 'no' }
  expect(text({
    at: 3, event: 'failed', kind: 'email', reason: 'no', again: null, count: 2, since: 1, ...attempt,
  })).toMatchObject({ ...attempt, repeated: { count: 2, since: 1 } })
  expect(text({ at: 3, event: 'delivered', delivery: 'endpoint', ...attempt })).toMatchObject(attempt)
  expect(text({ at: 4, event: 'reopened' })).toMatchObject({ text: 'Open for a decision again' })
  expect(text({ at: 5, event: 'receipt', receipt: { verdict: 'bounced' } })).toMatchObject({
    text: 'Email: Bounced', verdict: 'bounced',
  })
})

test('which of the rooms of one platform it was is told in its history and of what fails', async () => {
  triage = await openTriage({ platforms: ['slack', 'slack/C2'] })
  submissions = submissionsIn(triage)
  triage.board.posts.push(ok, failing('Slack answered 500.'))
  const id = await triage.post({ name: 'Ada' })
  const { history, work, problem } = await submissions.show(id, LOCAL)
  expect(history.map(({ text }) => text)).toEqual(['Received', 'Card posted on Slack', 'Card on Slack: C2 failed'])
  expect([work[0]!.what, problem!.what]).toEqual(['Card on Slack: C2', 'Card on Slack: C2'])
  await triage.sweepAfter(60_000)
  expect((await submissions.show(id, LOCAL)).history.at(-1)).toMatchObject({ text: 'Card posted on Slack: C2' })
})

test('of which card an update failed is told where its platform has another one', async () => {
  triage = await openTriage({ platforms: ['slack', 'slack/C2'] })
  submissions = submissionsIn(triage)
  const id = await triage.post({ name: 'Ada' })
  const postedSubmission = (await triage.store.get(id))!
  const cards = postedSubmission.cards.map(
    (card, index) => ({ ...card, platform: 'slack', threadId: `slack:C${index + 1}` }),
  )
  await triage.store.replace(postedSubmission, {
    ...postedSubmission, version: postedSubmission.version + 1, cards,
  })
  triage.board.placeOf = ({ threadId }) => threadId === 'slack:C1' ? ['slack/C1', 'slack'] : ['slack/C2']
  triage.board.updates.push(failing('Slack answered 500.'), failing('Slack answered 500.'))
  await triage.settle(submissions.decide(id, { action: 'forward' }, ADA))
  const submission = await submissions.show(id, LOCAL).catch((error: unknown) => (error as SubmissionEnded).submission!)
  const { history, work } = submission as Awaited<ReturnType<OpsSubmissions['show']>>
  const failureTexts = history.filter(({ event }) => event === 'failed').map(({ text }) => text)
  expect(failureTexts.toSorted()).toEqual(['Card update on Slack failed', 'Card update on Slack: C2 failed'])
  expect(work.map(({ what }) => what).toSorted()).toEqual(['Card update on Slack', 'Card update on Slack: C2'])
})

test('history of before rooms were noted is told by its platform', () => {
  expect(historyLine({ at: 1, event: 'posted', platform: 'slack' }, room => room).text).toBe('Card posted on slack')
})

test('while a group cannot be looked up nobody is told that they may not decide, but to try again', async () => {
  triage = await openTriage({ form: { reviewers: ['slack:S1'] } })
  submissions = submissionsIn(triage)
  triage.board.groups.set('slack:S1', async () => ({ ok: false, permanent: false, reason: 'Slack: no connection.' }))
  const id = await triage.post({ name: 'Ada' })
  const uncheckedViewer = { ...ADA, names: ['slack:U1'], role: 'reviewer' } as const
  for (const viewer of [uncheckedViewer, { ...uncheckedViewer, role: null }]) {
    expect(await submissions.show(id, viewer)).toMatchObject({ open: true, mayDecide: null, mayErase: false })
  }
  expect(await submissions.show(id, { ...uncheckedViewer, role: 'viewer' })).toMatchObject({ mayDecide: false })
  const code = 'PEOPLE_UNKNOWN'
  for (const action of ['spam', 'erase', 'forward']) {
    await expect(submissions.decide(id, { action }, uncheckedViewer)).rejects.toMatchObject({ code })
  }
  await expect(submissions.postAgain(id, uncheckedViewer)).rejects.toMatchObject({ code })
  // Only people with a Slack account can be in the group.
  await expect(submissions.decide(id, { action: 'spam' }, LOCAL)).rejects.toMatchObject({ code: 'NOT_A_REVIEWER' })
})

test.each<[string, object, string | null]>([
  ['only a part of a value', { plan: { value: 'Basic', type: 'text' } }, '{"plan":{"value":"Basic","type":"text"}}'],
  ['all values', { plan: 'Basic', tags: ['a'], order: { item: 'Engine' } }, null],
])('the page of a flat form that shows %s has the body as sent: %j', async (_what, data, sent) => {
  const id = await triage.post(data)
  expect((await submissions.show(id, LOCAL)).sent).toBe(sent)
})

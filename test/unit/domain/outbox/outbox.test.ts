import { SUBMISSION_TTL_MS } from '../../../../shared/lifetimes'
import { beforeEach, expect, test } from 'vitest'
import { isOver } from '../../../../server/domain/lifecycle/record'
import type { Outcome } from '../../../../server/ports/delivery'
import { failing, ok } from '../../../fakes/board'
import { decisions } from '../../../fixtures/views'
import { ADA, LEASE_MS, openTriage, type Triage } from '../../../fakes/triage'
import { until } from '../../../support/until'

const FORM = { name: 'Ada', quantity: 2 }

let triage: Triage

beforeEach(async () => { triage = await openTriage() })

/** Stores a decision without doing any of its work, as if the process crashed right afterwards. */
async function claimAndDie(id: string): Promise<void> {
  const result = await triage.outbox.apply(
    id, [{ type: 'claimed', action: 'forward', reviewer: ADA, deliveries: triage.deliveries }],
  )
  expect(result).toHaveProperty('submission')
}

test('a forward sends one email and one POST, updates the card and leaves an audit line without form data', async () => {
  const { store, board, mailer, endpoint } = triage
  const id = await triage.post(FORM)
  await triage.forward(id)
  expect(mailer.calls).toHaveLength(1)
  expect(endpoint.calls.map(({ body }) => JSON.parse(body))).toEqual([FORM])
  expect(board.shown.get('slack-1')).toMatchObject({ title: 'Form Submission forwarded', actions: [] })
  expect(await store.get(id)).toSatisfy(isOver)
  expect(await store.audit(10)).toEqual([
    { id, outcome: 'forwarded', at: triage.runtime.time, reviewer: ADA, receivedAt: expect.any(Number) },
  ])
})

test('a record may be outdated: what it refuses, or what meets another version, is decided on the newest', async () => {
  const outdatedVersions = [{ state: 'settling' as const }, { version: 1 }]
  for (const changes of outdatedVersions) {
    const id = await triage.post(FORM)
    const { data: _, ...record } = (await triage.store.get(id))!
    const claim = { type: 'claimed' as const, action: 'forward' as const, reviewer: ADA, deliveries: triage.deliveries }
    const result = await triage.outbox.apply(id, [claim], { ...record, ...changes })
    expect(result).toMatchObject({ submission: { data: FORM, version: 3 } })
  }
})

test('fifty forwards at once send one email', async () => {
  const id = await triage.post(FORM)
  const results = await Promise.all(Array.from({ length: 50 }, () => triage.decide({ id, action: 'forward' })))
  await triage.runtime.drain()
  expect(results.filter(({ kind }) => kind === 'done')).toHaveLength(1)
  expect([triage.mailer.calls.length, triage.endpoint.calls.length]).toEqual([1, 1])
})

test('a delivery that fails is tried again by the sweep when it is due, and what was done is not repeated', async () => {
  const { mailer, endpoint, runtime, store } = triage
  mailer.answers.push(failing('Resend is down.', { retryAfterMs: 60_000 }))
  const id = await triage.post(FORM)
  await triage.forward(id)
  expect(await store.get(id)).toMatchObject({
    state: 'settling', work: [{ kind: 'email', attempts: 1, dueAt: runtime.time + 60_000 }],
  })
  runtime.time += 59_999
  await triage.sweep()
  expect(mailer.calls).toHaveLength(1)
  await triage.sweepAfter(1)
  expect(mailer.calls.map(({ key }) => key)).toEqual([mailer.calls[0]!.key, mailer.calls[0]!.key])
  expect(endpoint.calls).toHaveLength(1)
  expect(await store.get(id)).toSatisfy(isOver)
})

test('a port that throws counts as a failure that is tried again', async () => {
  triage.mailer.send = () => Promise.reject(new Error('bug'))
  const id = await triage.post(FORM)
  await triage.forward(id)
  expect(await triage.store.get(id)).toMatchObject({ state: 'settling', work: [{ kind: 'email', attempts: 1 }] })
})

test('two edits of one card never overtake each other', async () => {
  const { board, mailer, runtime, store } = triage
  runtime.patience = 0
  const id = await triage.post(FORM)
  const firstPost = Promise.withResolvers<Outcome>()
  board.updates.push(firstPost.promise)
  mailer.answers.push(failing('Refused.', { permanent: true }))
  await triage.decide({ id, action: 'forward' })
  await until('it is open again', async () => (await store.get(id))?.failures.length)
  firstPost.resolve(ok)
  await runtime.drain()
  expect(board.overlap).toBe(1)
  expect(board.history.map(({ actions }) => actions.length)).toEqual([3, 0, 3])
})

test('edits of one card for two decisions do not overtake each other either', async () => {
  const { board, mailer, runtime } = triage
  runtime.patience = 0
  const id = await triage.post(FORM)
  const slowPost = Promise.withResolvers<Outcome>()
  board.updates.push(ok, slowPost.promise)
  mailer.answers.push(failing('Refused.', { permanent: true }))
  await triage.decide({ id, action: 'forward' })
  await until('it is open again', async () => (await triage.store.get(id))?.failures.length)
  const backgroundedBefore = runtime.backgrounded
  await triage.decide({ id, action: 'forward' })
  await until(
    'the second decision is under way',
    () => runtime.backgrounded > backgroundedBefore && triage.mailer.calls.length === 2,
  )
  slowPost.resolve(ok)
  await runtime.drain()
  expect(board.overlap).toBe(1)
  expect(board.shown.get('slack-1')).toMatchObject({ actions: [] })
})

test('a card whose post ends after everything was decided shows the decision', async () => {
  const { board, store, runtime } = triage
  const post = Promise.withResolvers<Outcome>()
  board.posts.push(post.promise)
  const id = await triage.receive(FORM)
  await triage.decide({ id, action: 'spam' })
  expect(await store.get(id)).toSatisfy(isOver)
  post.resolve(ok)
  await runtime.drain()
  expect(board.shown.get('slack-1')).toMatchObject({ actions: [], fields: [], notes: [
    expect.stringMatching(/^Marked as spam by Ada on Slack, /),
  ] })
  expect(await store.get(id)).toSatisfy(isOver)
})

test('results are written back again and again while the store does not answer', async () => {
  const { mailer, runtime, outage, store } = triage
  runtime.patience = 0
  const id = await triage.post(FORM)
  const sentEmail = Promise.withResolvers<Outcome>()
  mailer.answers.push(sentEmail.promise)
  await triage.decide({ id, action: 'forward' })
  await until('only the email is left', async () => (await store.get(id))?.work.length === 1)
  runtime.waits.length = 0
  runtime.patience = 1000
  outage.calls = 3
  sentEmail.resolve(ok)
  await runtime.drain()
  expect(runtime.waits).toEqual([200, 400, 800])
  expect(await store.get(id)).toSatisfy(isOver)
  expect(mailer.calls).toHaveLength(1)
})

test('a result that could not be written back at all is delivered again after the lease under the same key', async () => {
  const { mailer, outage, store } = triage
  const id = await triage.post(FORM)
  await claimAndDie(id)
  const submission = (await store.get(id))!
  outage.calls = Number.POSITIVE_INFINITY
  await triage.outbox.run(submission, submission.work.filter(({ kind }) => kind === 'email'))
  outage.calls = 0
  await triage.sweepAfter(LEASE_MS)
  expect(mailer.calls.map(({ key }) => key)).toEqual([mailer.calls[0]!.key, mailer.calls[0]!.key])
  expect(await store.get(id)).toSatisfy(isOver)
})

test('what a process that died between claim and delivery left is done once after its lease', async () => {
  const { mailer, endpoint, runtime, board } = triage
  const id = await triage.post(FORM)
  await claimAndDie(id)
  runtime.time += LEASE_MS - 1
  expect(await triage.sweep()).toBe(0)
  expect(mailer.calls).toHaveLength(0)
  runtime.time += 1
  expect(await triage.sweep()).toBe(1)
  expect(await triage.sweep()).toBe(0)
  await runtime.drain()
  expect([mailer.calls.length, endpoint.calls.length]).toEqual([1, 1])
  expect(board.shown.get('slack-1')).toMatchObject({ actions: [] })
})

test('two sweeps at once do each work once', async () => {
  const ids = await Promise.all(Array.from({ length: 20 }, () => triage.post(FORM)))
  await Promise.all(ids.map(claimAndDie))
  triage.runtime.time += LEASE_MS
  const [count, otherCount] = await Promise.all([triage.sweep(), triage.sweep()])
  expect(count + otherCount).toBe(20)
  expect(new Set(triage.mailer.calls.map(({ key }) => key)).size).toBe(20)
  expect([triage.mailer.calls.length, triage.endpoint.calls.length]).toEqual([20, 20])
})

test('a submission expires at exactly 7 days, and its card says so', async () => {
  const { board, runtime, store } = triage
  const id = await triage.post(FORM)
  const { receivedAt } = (await store.get(id))!
  runtime.time = receivedAt + SUBMISSION_TTL_MS - 1
  await triage.sweep()
  expect(board.shown.get('slack-1')).toMatchObject({ actions: decisions() })
  expect(await store.get(id)).toMatchObject({ state: 'open', data: FORM })
  await triage.sweepAfter(1)
  expect(board.shown.get('slack-1')).toMatchObject({ title: 'Expired Form Submission', actions: [], fields: [] })
  expect(await store.get(id)).toSatisfy(isOver)
  expect(await store.audit(1)).toMatchObject([{ id, outcome: 'expired', reviewer: null }])
})

test('the audit trail says what was decided, by whom and when, what failed or was taken back, and a given address', async () => {
  const { decide, mailer, outbox, post, runtime, store, sweep } = await openTriage({
    revocableMs: { forward: 0, spam: 60_000 },
  })
  const id = await post({ name: 'Lin' })
  const actTimes: number[] = []
  const perform = async (action: () => Promise<unknown>) => {
    runtime.time += 1000
    actTimes.push(runtime.time)
    await action()
    await runtime.drain()
  }
  await perform(() => decide({ id, action: 'spam' }))
  await perform(() => decide({ id, action: 'reopen' }))
  mailer.answers.push(failing('Refused.', { permanent: true }), failing('Down.'), { ok: true, value: 'm1' })
  await perform(() => decide({ id, action: 'edit', values: { f0: 'Grace' } }))
  await perform(() => decide({ id, action: 'forward' }))
  runtime.time += 60_000
  await sweep()
  await runtime.drain()
  await perform(() => outbox.apply(id, [{ type: 'receipt', messageId: 'm1', receipt: { verdict: 'bounced' } }]))
  await perform(() => decide({ id, action: 'resend', to: 'grace@example.com' }))
  const [spamAt, revokedAt, , editedAt, , againAt] = actTimes
  const lines = (await store.audit(10)).map(({ outcome, at, reviewer, to }) => (
    [outcome, outcome === 'failed' ? null : at, reviewer, to]
  ))
  expect(lines).toEqual([
    ['edited', againAt, ADA, ['grace@example.com']], ['failed', null, ADA, undefined],
    ['edited', editedAt, ADA, undefined], ['failed', null, ADA, undefined],
    ['revoked', revokedAt, ADA, undefined], ['spam', spamAt, ADA, undefined],
  ])
})

test('the audit trail has no line of what was held and nobody looked at in time: nothing was decided', async () => {
  const { receive, runtime, store, sweep } = await openTriage()
  const id = await receive({ name: 'Lin' }, { held: true })
  runtime.time = (await store.get(id))!.expiresAt
  await sweep()
  await runtime.drain()
  expect([(await store.get(id))!.state, await store.audit(10)]).toEqual(['expired', []])
})

import { beforeEach, expect, test } from 'vitest'
import { deliveryKey } from '../../../../server/domain/outbox/deliver'
import type { Submission } from '../../../../server/ports/submission'
import { completeForm } from '../../../fakes/forms'
import { ADA, openTriage, type Triage } from '../../../fakes/triage'

const SUBMISSION: Submission = {
  id: 'one', version: 1, state: 'open', receivedAt: 0, expiresAt: 1, data: { name: 'Ada', tags: ['a'] },
  reminded: false, edited: [],
  cards: [], decision: null, work: [], delivered: [], failures: [], history: [],
}

const MESSAGE = ['forms@example.com', 'team@example.com']

let triage: Triage

beforeEach(async () => { triage = await openTriage() })

test('the delivery key is the same for the same data, whatever else changed', () => {
  const later: Submission = { ...SUBMISSION, version: 9, state: 'settling', data: { name: 'Ada', tags: ['a'] } }
  expect(deliveryKey(later, MESSAGE)).toBe(deliveryKey(SUBMISSION, MESSAGE))
})

test('the delivery key differs for edited data and for another submission', () => {
  const keys = [
    SUBMISSION, { ...SUBMISSION, data: { name: 'Ada', tags: ['b'] } }, { ...SUBMISSION, id: 'two' },
  ].map(submission => deliveryKey(submission, MESSAGE))
  expect(new Set(keys).size).toBe(3)
})

test('the delivery key differs for another sender, another recipient and a correction', () => {
  const keys = [
    MESSAGE, ['other@example.com', 'team@example.com'], ['forms@example.com', 'sales@example.com'], [...MESSAGE, 1000],
  ].map(message => deliveryKey(SUBMISSION, message))
  expect(new Set(keys).size).toBe(4)
})

test('the delivery key says nothing of the data and fits into a header', () => {
  expect(deliveryKey(SUBMISSION, MESSAGE)).toMatch(/^one-[0-9a-f]{16}$/)
})

test('results written together grow the version by one, and work added later has another key', async () => {
  const { outbox, store } = triage
  const id = await triage.post({ name: 'Ada' })
  const claim = { type: 'claimed', action: 'forward', reviewer: ADA, deliveries: triage.deliveries } as const
  await outbox.apply(id, [claim])
  const decidedSubmission = (await store.get(id))!
  const [email, endpoint] = ['email', 'endpoint'].map(
    delivery => decidedSubmission.work.find(({ kind }) => kind === delivery)!.key,
  )
  await outbox.apply(
    id, [{ type: 'done', key: endpoint! }, { type: 'failed', key: email!, reason: 'Refused.', retryAt: null }],
  )
  const reopenedSubmission = (await store.get(id))!
  expect(reopenedSubmission.version).toBe(decidedSubmission.version + 1)
  await outbox.apply(id, [claim])
  const laterSubmission = (await store.get(id))!
  const emails = [decidedSubmission, laterSubmission].map(({ work }) => work.find(({ kind }) => kind === 'email')!.key)
  expect(new Set(emails).size).toBe(2)
  expect(new Set(laterSubmission.work.map(({ key }) => key)).size).toBe(laterSubmission.work.length)
})

test('the endpoint is told what was erased, again until it listens, and never what was in it', async () => {
  const id = await triage.post({ name: 'Ada' })
  await triage.settle(triage.decide({ id, action: 'forward' }))
  triage.endpoint.answers.push({ ok: false, reason: 'Down.', permanent: false })
  await triage.settle(triage.quarantine.decide('erase', id, ADA))
  const at = new Date(triage.runtime.time).toISOString()
  expect((await triage.store.get(id))?.work).toMatchObject([{ kind: 'erasure', attempts: 1, reason: 'Down.' }])
  await triage.sweepAfter(60_000)
  const [forward, ...erasureCalls] = triage.endpoint.calls
  expect(forward!.key.startsWith(id)).toBe(true)
  expect(erasureCalls.map(({ key, body }) => [key, JSON.parse(body)])).toEqual(Array.from({ length: 2 }, () => [
    `${id}-erased`, { type: 'erased', timestamp: at, data: { submission: id } },
  ]))
  expect(await triage.store.get(id)).toMatchObject({ state: 'erased', work: [] })
})

test('of a form without an endpoint nobody is told what was erased, and nothing fails for it', async () => {
  Object.assign(triage.forms.of(undefined), completeForm({ endpoint: null }))
  const id = await triage.post({ name: 'Ada' })
  const attempts: string[] = []
  const { run } = triage.outbox
  triage.outbox.run = (submission, addedWork, ...runArgs) => {
    attempts.push(...addedWork.map(({ kind }) => kind))
    return run.call(triage.outbox, submission, addedWork, ...runArgs)
  }
  await triage.settle(triage.quarantine.decide('erase', id, ADA))
  expect(attempts).toEqual(['update'])
})

test('nobody waits for an undo with a process that ends, and whoever sweeps next sends what was due', async () => {
  triage.runtime.wait = () => new Promise(() => {})
  triage.revocableMs.forward = 10_000
  const id = await triage.post({ name: 'Ada' })
  await triage.settle(triage.decide({ id, action: 'forward' }))
  expect(triage.mailer.calls).toEqual([])
  await triage.sweepAfter(10_000)
  expect(triage.mailer.calls).toHaveLength(1)
})

test('a retried email is the same in all, and a correction another one of the same conversation', async () => {
  const { mailer, store } = triage
  const id = await triage.post({ name: 'Ada' })
  const down = { ok: false, reason: 'Resend answered 500.', permanent: false } as const
  const refused = { ok: false, reason: 'The endpoint answered 422.', permanent: true } as const
  mailer.answers.push(down)
  triage.endpoint.answers.push(refused)
  await triage.forward(id)
  await triage.sweepAfter(30 * 60_000)
  const [first, second] = mailer.calls
  expect(second).toEqual(first)
  expect((await store.get(id))!.state).toBe('open')
  await triage.settle(triage.decide({ id, action: 'edit', values: { f0: 'Grace' } }))
  const corrected = mailer.calls.at(-1)!
  expect(corrected.email.headers).toMatchObject({
    'X-Entity-Ref-ID': id, 'Message-ID': `<${corrected.key}@example.com>`,
    'References': first!.email.headers!['Message-ID'],
  })
})

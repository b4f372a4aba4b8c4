import { afterEach, beforeEach, expect, test } from 'vitest'
import { SUBMISSION_TTL_MS } from '../../server/domain/submission/store-rules'
import type { Outcome } from '../../server/ports/delivery'
import { failing, ok } from '../fakes/board'
import { ADA, openTriage, type Triage } from '../fakes/triage'
import { until } from '../support/until'

const FORM = { name: 'Ada', quantity: 2 }

let triage: Triage

beforeEach(async () => {
  triage = await openTriage()
})

afterEach(async () => {
  await triage.runtime.drain()
  await triage.close()
})

async function forward(id: string): Promise<void> {
  expect(await triage.review.decide(id, 'forward', ADA)).toEqual({ claimed: true })
  await triage.runtime.drain()
}

test('a forward whose deliveries come one after the other edits each card once, and says that they were made', async () => {
  const { board, mailer, endpoint, runtime } = triage
  const id = await triage.post(FORM)
  const [email, post] = [Promise.withResolvers<Outcome>(), Promise.withResolvers<Outcome>()]
  mailer.answers.push(email.promise)
  endpoint.answers.push(post.promise)
  await triage.review.decide(id, 'forward', ADA)
  email.resolve(ok)
  await until('the email is written down', async () => (await triage.store.get(id))?.delivered.length)
  post.resolve(ok)
  await runtime.drain()
  expect(board.history.map(({ title, notes }) => [title, notes[1]])).toEqual([['New Form Submission', undefined], [
    'Form Submission forwarded', 'Sent to team@example.com and downstream.example.com',
  ]])
})

test('a forward that takes long says so first, and then that it arrived', async () => {
  const { board, mailer, runtime } = triage
  runtime.patience = 0
  const id = await triage.post(FORM)
  const email = Promise.withResolvers<Outcome>()
  mailer.answers.push(email.promise)
  await triage.review.decide(id, 'forward', ADA)
  await until(
    'the card says what is under way', () => board.history.at(-1)!.notes.includes('Being sent to team@example.com'),
  )
  email.resolve(ok)
  await runtime.drain()
  expect(board.shown.get('slack-1')!.notes.slice(1)).toEqual(['Sent to team@example.com and downstream.example.com'])
  expect(await triage.store.get(id)).toBeNull()
})

test('the audit line does not wait for a card that cannot be updated, and nobody is shown the submission as pending', async () => {
  const { board, store, runtime } = triage
  const id = await triage.post(FORM)
  board.updates.push(failing('Slack refused the token.', { permanent: true }))
  await forward(id)
  expect(await store.get(id)).toMatchObject({ state: 'settled', data: FORM, work: [{ kind: 'update', attempts: 1 }] })
  expect(await store.audit(10)).toMatchObject([{ id, outcome: 'forwarded' }])
  expect(await store.listPending({ limit: 10 })).toMatchObject({ submissions: [], total: 0 })
  runtime.time += 10_000
  await triage.sweep()
  await runtime.drain()
  expect(board.shown.get('slack-1')).toMatchObject({ actions: false, fields: [{ value: 'Ada' }, { value: '2' }] })
  expect([await store.get(id), (await store.audit(10)).length]).toEqual([null, 1])
})

test('a card that cannot be updated for a week is left, and its record goes', async () => {
  const { board, store, runtime } = triage
  board.update = async () => failing('Slack is down.')
  const id = await triage.post(FORM)
  const at = runtime.time
  await forward(id)
  for (let round = 0; round < 400 && await store.get(id); round++) {
    runtime.time += 3_600_000
    await triage.sweep()
    await runtime.drain()
  }
  expect(await store.get(id)).toBeNull()
  expect(runtime.time - at).toBeGreaterThanOrEqual(SUBMISSION_TTL_MS)
  expect(runtime.time - at).toBeLessThan(SUBMISSION_TTL_MS + 2 * 3_600_000)
})

test('a card that somebody deleted is not looked after any more', async () => {
  const { board, store } = triage
  const id = await triage.post(FORM)
  board.updates.push(failing('The card was deleted.', { permanent: true, gone: true }))
  await forward(id)
  expect(await store.get(id)).toBeNull()
})

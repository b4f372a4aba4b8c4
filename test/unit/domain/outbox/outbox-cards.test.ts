import { CARD_UPDATES_MS } from '../../../../shared/lifetimes'
import { beforeEach, expect, test } from 'vitest'
import { isOver } from '../../../../server/domain/lifecycle/record'
import type { Outcome, Posted } from '../../../../server/ports/delivery'
import { failing, ok } from '../../../fakes/board'
import { ADA, openTriage, type Triage } from '../../../fakes/triage'
import { until } from '../../../support/until'

const FORM = { name: 'Ada', quantity: 2 }

let triage: Triage

beforeEach(async () => { triage = await openTriage() })

test('a forward whose deliveries come one after the other edits each card once, and says that they were made', async () => {
  const { board, mailer, endpoint, outage, runtime } = triage
  const id = await triage.post(FORM)
  const writtenBefore = outage.written
  const [email, post] = [Promise.withResolvers<Outcome>(), Promise.withResolvers<Outcome<Posted>>()]
  mailer.answers.push(email.promise)
  endpoint.answers.push(post.promise)
  await triage.decide({ id, action: 'forward' })
  email.resolve(ok)
  await runtime.turn()
  post.resolve({ ok: true, value: { status: 200 } })
  await runtime.drain()
  expect(board.history.map(({ title, notes }) => [title, notes[1]])).toEqual([['New Form Submission', undefined], [
    'Form Submission forwarded', 'Sent to team@example.com and downstream.example.com',
  ]])
  // One write for the decision, and one for all its results.
  expect(outage.written - writtenBefore).toBe(2)
})

test('a forward that takes long says so first, and then that it arrived', async () => {
  const { board, mailer, runtime } = triage
  runtime.patience = 0
  const id = await triage.post(FORM)
  const email = Promise.withResolvers<Outcome>()
  mailer.answers.push(email.promise)
  await triage.decide({ id, action: 'forward' })
  await until(
    'the card says what is under way', () => board.history.at(-1)!.notes.includes('Being sent to team@example.com'),
  )
  // The finished delivery is stored without waiting for the email.
  await until('the endpoint is on record', async () => (await triage.store.get(id))?.delivered.includes('endpoint'))
  email.resolve(ok)
  await runtime.drain()
  expect(board.shown.get('slack-1')!.notes.slice(1)).toEqual(['Sent to team@example.com and downstream.example.com'])
  expect(await triage.store.get(id)).toSatisfy(isOver)
})

/** Receives a submission. Later changes of submissions are stored only when the test calls `write`. */
async function receiveUnwritten() {
  const { outage, receive, runtime } = triage
  runtime.patience = 10_000
  const writes = Promise.withResolvers<null>()
  outage.writes = writes.promise
  return { id: await receive(FORM), write: () => writes.resolve(null) }
}

test('a sender waits for the card, and not for the write that records it', async () => {
  const { board, runtime, store } = triage
  const card = Promise.withResolvers<Outcome>()
  board.posts.push(card.promise)
  const answer = receiveUnwritten()
  await new Promise(resolve => setTimeout(resolve, 20))
  card.resolve(ok)
  const { id, write } = await answer
  expect([board.shown.size, (await store.get(id))!.cards]).toEqual([1, []])
  write()
  await runtime.drain()
  expect((await store.get(id))!.cards).toHaveLength(1)
})

test('a card that is clicked before it is on record is edited once', async () => {
  const { board, decide, outage, runtime, store } = triage
  const { id, write } = await receiveUnwritten()
  outage.writes = Promise.resolve()
  const card = { platform: 'slack', threadId: 'slack:room:slack-1', messageId: 'slack-1' }
  await decide({ id, action: 'forward', press: { card } })
  await until('it is over', async () => isOver((await store.get(id))!))
  write()
  await runtime.drain()
  expect(board.history.map(({ title }) => title)).toEqual(['New Form Submission', 'Form Submission forwarded'])
})

test('the audit line does not wait for a card that cannot be updated, and nobody is shown the submission as pending', async () => {
  const { board, store } = triage
  const id = await triage.post(FORM)
  board.updates.push(failing('Slack refused the token.', { permanent: true }))
  await triage.forward(id)
  expect(await store.get(id)).toMatchObject({ state: 'settled', data: FORM, work: [{ kind: 'update', attempts: 1 }] })
  expect(await store.audit(10)).toMatchObject([{ id, outcome: 'forwarded' }])
  expect(await store.listPending({ limit: 10 })).toMatchObject({ submissions: [], total: 0 })
  await triage.sweepAfter(10_000)
  expect(board.shown.get('slack-1')).toMatchObject({ actions: [], fields: [{ value: 'Ada' }, { value: '2' }] })
  expect(await store.get(id)).toSatisfy(isOver)
  expect(await store.audit(10)).toHaveLength(1)
})

test('a card that cannot be updated for a week is left, and only the trace stays', async () => {
  const { board, store, runtime } = triage
  board.update = async () => failing('Slack is down.')
  const id = await triage.post(FORM)
  const expiresAt = runtime.time
  await triage.forward(id)
  for (let round = 0; round < 400 && (await store.get(id))?.work.length; round++) {
    await triage.sweepAfter(3_600_000)
  }
  expect(await store.get(id)).toSatisfy(isOver)
  expect(runtime.time - expiresAt).toBeGreaterThanOrEqual(CARD_UPDATES_MS)
  expect(runtime.time - expiresAt).toBeLessThan(CARD_UPDATES_MS + 2 * 3_600_000)
})

/** Forwards a submission while its card cannot be edited, then clicks the card. Resolves during the click's edit. */
async function clickBehind(id: string, edit: Promise<Outcome>) {
  const { board, decide, store } = triage
  board.updates.push(failing('Slack is down.'))
  await triage.forward(id)
  board.updates.push(edit)
  const [card] = (await store.get(id))!.cards
  await decide({ id, action: 'spam', press: { card } })
  await until('the card is being edited', () => board.updates.length === 0)
}

test('a card that was behind and is clicked shows the latest in the end, whichever process is slower to edit it', async () => {
  const { board, createOutbox, runtime } = triage
  const id = await triage.post(FORM)
  const slowEdit = Promise.withResolvers<Outcome>()
  await clickBehind(id, slowEdit.promise)
  const otherOutbox = createOutbox()
  const erasure = await otherOutbox.apply(id, [{ type: 'erased', reviewer: ADA }])
  if ('refused' in erasure) throw new Error(erasure.refused)
  await otherOutbox.run(erasure.submission, erasure.added)
  expect(board.shown.get('slack-1')!.title).toBe('Form Submission erased')
  slowEdit.resolve(ok)
  await runtime.drain()
  expect(board.shown.get('slack-1')!.title).toBe('Form Submission erased')
})

test('a card that was behind and is edited for a click is done: no later attempt is left', async () => {
  const { board, store } = triage
  const id = await triage.post(FORM)
  await triage.settle(clickBehind(id, Promise.resolve(ok)))
  expect(await store.get(id)).toSatisfy(isOver)
  expect(board.history.map(({ title }) => title)).toEqual(['New Form Submission', 'Form Submission forwarded'])
})

test('a card whose first post had arrived, so that the second found that, is brought to what is by now', async () => {
  triage = await openTriage({ form: { claim: 'soft' } })
  const { board, decide } = triage
  const post = board.post.bind(board)
  board.post = async (...postArgs) => {
    const outcome = await post(...postArgs)
    // Discord and Google Chat answer like this to a post that they have already received.
    board.post = () => Promise.resolve(outcome)
    return { ok: false, permanent: false, reason: 'No answer.' }
  }
  const id = await triage.post(FORM)
  await decide({ id, action: 'take' })
  await triage.sweepAfter(60_000)
  expect(board.shown.get('slack-1')!.notes).toEqual(['Ada has it (Slack, 12:00 UTC)'])
})

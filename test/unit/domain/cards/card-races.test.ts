import { beforeEach, expect, test } from 'vitest'
import type { Outcome, Posted } from '../../../../server/ports/delivery'
import { failing, ok } from '../../../fakes/board'
import { ADA, erasedElsewhere, openTriage, type Triage } from '../../../fakes/triage'
import { until } from '../../../support/until'

let triage: Triage
beforeEach(async () => { triage = await openTriage() })
/** Forwards a submission up to this point: the email is sent, the card edit is in progress, and neither is stored. */
async function forwardUnstored() {
  const { board, decide, mailer, outage, runtime } = triage
  const id = await triage.post({ name: 'Ada' })
  const [email, edit] = [Promise.withResolvers<Outcome>(), Promise.withResolvers<Outcome>()]
  const pendingWrite = Promise.withResolvers<null>()
  mailer.answers.push(email.promise)
  board.updates.push(edit.promise)
  await decide({ id, action: 'forward' })
  outage.writes = pendingWrite.promise
  const writtenBefore = outage.written
  runtime.patience = 0
  email.resolve(ok)
  await until('the edit and the write', () => board.updates.length === 0 && outage.written > writtenBefore)
  const end = async () => {
    edit.resolve(ok)
    await runtime.drain()
    return board.history.map(({ title }) => title)
  }
  return { id, write: () => pendingWrite.resolve(null), edit, end }
}

test('a card that tells what is stored before its edit ends is edited once', async () => {
  const { id, write, end } = await forwardUnstored()
  write()
  await until('it on record', async () => (await triage.store.get(id))!.delivered.length === 2)
  expect(await end()).toEqual(['New Form Submission', 'Form Submission forwarded'])
})

test.each(['before', 'after'])('a card that tells what then is not stored like that is edited again: its edit ends %s that', async (when) => {
  const { board, outage, store } = triage
  const { id, write, edit, end } = await forwardUnstored()
  outage.writes = Promise.resolve()
  if (when === 'before') {
    edit.resolve(ok)
    await until('the edit', () => board.history.length === 2)
  }
  await erasedElsewhere(triage, id)
  write()
  await until('it on record', async () => (await store.get(id))!.delivered.length > 0)
  expect(await end()).toEqual(['New Form Submission', 'Form Submission forwarded', 'Form Submission erased'])
})

test('a card tells in one edit what failed and what was delivered while that was being written', async () => {
  const { board, decide, mailer, endpoint, outage, runtime } = triage
  const id = await triage.post({ name: 'Ada' })
  const [email, post] = [Promise.withResolvers<Outcome>(), Promise.withResolvers<Outcome<Posted>>()]
  const pendingWrite = Promise.withResolvers<null>()
  mailer.answers.push(email.promise)
  endpoint.answers.push(post.promise)
  await decide({ id, action: 'forward' })
  outage.writes = pendingWrite.promise
  const writtenBefore = outage.written
  email.resolve(failing('Resend is down.', { retryAfterMs: 60_000 }))
  await until('the first write', () => outage.written > writtenBefore)
  post.resolve({ ok: true, value: { status: 200 } })
  await runtime.turn()
  pendingWrite.resolve(null)
  await runtime.drain()
  expect(board.history.map(({ notes }) => notes.slice(1))).toEqual([[], [
    expect.stringMatching(/^Sent to downstream/), expect.stringMatching(/^Email failed: Resend is down/),
  ]])
})

test('a card tells of no delivery as made while another one is under way, and of both in the end', async () => {
  const { board, decide, mailer, outbox, runtime, store } = triage
  const id = await triage.post({ name: 'Ada' })
  const [email, earlierEdit] = [Promise.withResolvers<Outcome>(), Promise.withResolvers<null>()]
  const [card] = (await store.get(id))!.cards
  const earlierTurn = outbox.inTurn(card!, () => earlierEdit.promise)
  mailer.answers.push(email.promise)
  // Time limit shorter than the delay of a card edit, but longer than that of a write
  runtime.patience = 500
  await decide({ id, action: 'forward' })
  await runtime.turn()
  earlierEdit.resolve(null)
  await earlierTurn
  await until('the edit', () => board.history.length === 2)
  email.resolve(ok)
  await runtime.drain()
  const recipients = 'team@example.com and downstream.example.com'
  expect(board.history.map(({ notes }) => notes.slice(1))).toEqual([
    [], [`Being sent to ${recipients}`], [`Sent to ${recipients}`],
  ])
})

test('a card does not offer its buttons again before they work, whichever delivery came last', async () => {
  const { board, decide, endpoint, mailer, outage, runtime, store } = triage
  const id = await triage.post({ name: 'Ada' })
  const [post, pendingWrite] = [Promise.withResolvers<Outcome<Posted>>(), Promise.withResolvers<null>()]
  mailer.answers.push(failing('Refused.', { permanent: true }))
  endpoint.answers.push(post.promise)
  await decide({ id, action: 'forward' })
  await until('the failure on record', async () => (await store.get(id))!.failures.length)
  const writtenBefore = outage.written
  outage.writes = pendingWrite.promise
  post.resolve({ ok: true, value: { status: 200 } })
  await until('the write', () => outage.written > writtenBefore)
  const edits = board.history.length - 1
  pendingWrite.resolve(null)
  await runtime.drain()
  expect(edits).toBe(0)
  expect(board.history.map(({ title }) => title)).toEqual(['New Form Submission', 'Failed Form Submission'])
})

test('a card that is in flight while its form is decided and opened again does not become two', async () => {
  const { board, decide, mailer, receive, runtime, store } = triage
  const post = Promise.withResolvers<Outcome>()
  board.posts.push(post.promise)
  mailer.answers.push(failing('Refused.', { permanent: true }))
  const id = await receive({ name: 'Ada' })
  await decide({ id, action: 'forward' })
  await until('it is open again', async () => (await store.get(id))!.failures.length)
  post.resolve(ok)
  await runtime.drain()
  expect([...board.shown.keys()]).toEqual(['slack-1'])
})

test('edits of one card take their turns, also after one that throws', async () => {
  const { outbox } = triage
  const card = { platform: 'slack', threadId: 'slack:C1', messageId: '1' }
  const [slowEdit, finishedEdits] = [Promise.withResolvers<null>(), [] as string[]]
  const firstEdit = outbox.inTurn(card, () => Promise.reject(new Error('bug')))
  const secondEdit = outbox.inTurn(card, async () => {
    await slowEdit.promise
    finishedEdits.push('second')
  })
  await expect(firstEdit).rejects.toThrow('bug')
  const thirdEdit = outbox.inTurn(card, async () => finishedEdits.push('third'))
  await triage.runtime.turn()
  slowEdit.resolve(null)
  await Promise.all([secondEdit, thirdEdit])
  expect(finishedEdits).toEqual(['second', 'third'])
})

test('a card leaves its queue with its post, also one that fails after its form was erased', async () => {
  const { board, queues, quarantine, receive, runtime } = triage
  board.interval = 1
  await triage.post({ name: 'Ada' })
  expect(await queues.length('slack')).toBe(0)
  const post = Promise.withResolvers<Outcome>()
  board.posts.push(post.promise)
  const id = await receive({ name: 'Lin' })
  await until('the card in flight', () => board.posts.length === 0)
  await quarantine.decide('erase', id, ADA)
  post.resolve(failing('Slack is down.'))
  await runtime.drain()
  expect(await queues.length('slack')).toBe(0)
})

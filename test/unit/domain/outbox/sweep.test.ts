import { beforeEach, expect, test } from 'vitest'
import { sweep } from '../../../../server/domain/outbox/sweep'
import type { SubmissionStore } from '../../../../server/ports/store'
import { LEASE_MS, openTriage, type Triage } from '../../../fakes/triage'
import { failing } from '../../../fakes/board'

const SECOND = 1000

let triage: Triage
beforeEach(async () => {
  triage = await openTriage()
  triage.board.interval = SECOND
})
/** Time until the card's next attempt, s. */
async function dueIn(id: string): Promise<number> {
  const { work } = (await triage.store.get(id))!
  return (work[0]!.dueAt - triage.runtime.now()) / SECOND
}

test('what failed is tried again in time, however many cards wait for their turn', async () => {
  const { board, mailer, runtime } = triage
  const failedId = await triage.post({ name: 'Ada' })
  board.awaited.add('slack')
  for (let count = 0; count < 250; count++) await triage.receive({ name: 'Grace' })
  await runtime.drain()
  runtime.time += 70 * SECOND
  mailer.answers.push(failing('Resend is away.'))
  await triage.forward(failedId)
  runtime.time += 10 * SECOND
  expect(await triage.sweep()).toBe(251)
  await runtime.drain()
  expect(await triage.store.get(failedId)).toMatchObject({ state: 'settled' })
})

test('a card that waits is looked after when its turn can come, and not before', async () => {
  const { board, runtime } = triage
  board.awaited.add('slack')
  const ids = await triage.settle(Array.fromAsync({ length: 120 }, () => triage.receive({ name: 'Grace' })))
  runtime.time += 70 * SECOND
  expect(await triage.sweep()).toBe(120)
  expect(await Promise.all([ids[0]!, ids[60]!, ids[119]!].map(dueIn))).toEqual([60, 60, 119])
  runtime.time += 61 * SECOND
  expect(await triage.sweep()).toBe(62)
})

test('what is gone is not looked after again, and what cannot be read keeps nobody else from being looked after', async () => {
  const { runtime, store } = triage
  const [unreadableId, goneId] = [await triage.post({}), await triage.post({})]
  const failingStore: SubmissionStore = Object.assign(Object.create(store) as typeof store, {
    get: (id: string) => id === unreadableId ? Promise.reject(new Error('Unreadable.')) : Promise.resolve(null),
  })
  runtime.time = (await store.get(goneId))!.expiresAt
  expect(await sweep({ ...triage, store: failingStore }, triage.outbox, triage.reviewers)).toBe(2)
  runtime.time += LEASE_MS
  expect(await store.lease(LEASE_MS, 9)).toEqual([unreadableId])
})

import { SUBMISSION_TTL_MS } from '../../../../shared/lifetimes'
import { expect, test } from 'vitest'
import { SubmissionEnded } from '../../../../server/domain/errors'
import { belongsTo } from '../../../../server/domain/review/scope'
import { nextAttention } from '../../../../server/domain/lifecycle/record'
import type { ReviewBoard } from '../../../../server/ports/board'
import { testContext } from '../../../fakes/context'
import { formsOf } from '../../../fakes/forms'
import { only } from '../../../fakes/only'
import { ADA, openTriage } from '../../../fakes/triage'
import { DATA, LEASE, NOW, REVIEWER, step } from '../../../fixtures/lifecycle'

const openSubmission = step(null, { type: 'received', id: 'one', data: DATA, rooms: ['slack'] }).next
const heldSubmission = step(null, { type: 'received', id: 'one', data: DATA, rooms: [], held: true }).next

test('what is held has no work, and is looked at when its 7 days have passed', () => {
  expect(heldSubmission).toMatchObject({ state: 'held', work: [], cards: [], expiresAt: NOW + SUBMISSION_TTL_MS })
  expect(nextAttention(heldSubmission)).toBe(heldSubmission.expiresAt)
})

test('until it is released it is of no room, and of the ops pages alone', () => {
  const board = only<ReviewBoard>({ roomOf: () => 'slack' })
  const context = testContext({ forms: formsOf({ rooms: ['slack'] }), board })
  expect([belongsTo(['slack'], heldSubmission, context), belongsTo('everywhere', heldSubmission, context)]).toEqual(
    [false, true],
  )
  expect(belongsTo(['slack'], openSubmission, context)).toBe(true)
})

test('released it is open, with a card to post in each room, until the same end', () => {
  const { next, added, finished } = step(
    heldSubmission, { type: 'released', reviewer: REVIEWER, rooms: ['slack', 'discord'] }, NOW + 1,
  )
  expect(next).toMatchObject({ state: 'open', version: 2, data: DATA, expiresAt: heldSubmission.expiresAt, history: [
    { event: 'received' }, { event: 'held' }, { event: 'released', reviewer: REVIEWER },
  ] })
  expect(added.map(({ key, dueAt }) => [key, dueAt])).toEqual([
    ['post:slack', NOW + 1 + LEASE], ['post:discord', NOW + 1 + LEASE],
  ])
  expect(finished).toBe(false)
})

test('released in a room that paces its cards, its card comes in its turn; what is over is released no more', async () => {
  const triage = await openTriage()
  triage.board.interval = 10_000
  await triage.post({ name: 'first' })
  const id = await triage.receive({ name: 'Ada' }, { held: true })
  await triage.settle(triage.quarantine.decide('release', id, ADA))
  expect((await triage.store.get(id))!.cards).toHaveLength(1)
  await triage.settle(triage.decide({ id, action: 'spam' }))
  await expect(triage.quarantine.decide('release', id, ADA)).rejects.toThrow(SubmissionEnded)
})

import { expect, test } from 'vitest'
import type { LifecycleEvent, Refusal } from '../../server/domain/submission/events'
import { transition } from '../../server/domain/submission/lifecycle'
import { nextAttention, SUBMISSION_TTL_MS } from '../../server/domain/submission/store-rules'
import type { Submission } from '../../server/ports/submission'

const NOW = Date.UTC(2026, 10, 21)
const LEASE = 30_000
const DATA = { name: 'Ada' }
const REVIEWER = { id: 'U1', name: 'Ada', platform: 'Slack' }

function step(current: Submission | null, event: LifecycleEvent, now = NOW) {
  const result = transition(current, event, now, LEASE)
  if ('refused' in result) throw new Error(`refused: ${result.refused}`)
  return result
}

function refusal(current: Submission, event: LifecycleEvent, now = NOW): Refusal | null {
  const result = transition(current, event, now, LEASE)
  return 'refused' in result ? result.refused : null
}

const open = step(null, { type: 'received', id: 'one', data: DATA, rooms: ['slack'] }).next
const held = step(null, { type: 'received', id: 'one', data: DATA, rooms: [], held: true }).next

test('what is held has no work, cannot be decided, and is looked at when its 7 days have passed', () => {
  expect(held).toMatchObject({ state: 'held', work: [], cards: [], expiresAt: NOW + SUBMISSION_TTL_MS })
  for (const action of ['forward', 'spam'] as const) expect(
    refusal(held, { type: 'claimed', action, reviewer: REVIEWER, deliveries: ['email'] }),
  ).toBe('held')
  expect(nextAttention(held)).toBe(held.expiresAt)
  expect(refusal(held, { type: 'expired' }, held.expiresAt - 1)).toBe('not-due')
  expect(step(held, { type: 'expired' }, held.expiresAt)).toMatchObject({ finished: true, next: { data: null } })
})

test('released it is open, with a card to post in each room, until the same end', () => {
  const { next, added, finished } = step(
    held, { type: 'released', reviewer: REVIEWER, rooms: ['slack', 'discord'] }, NOW + 1,
  )
  expect(next).toMatchObject({ state: 'open', version: 2, data: DATA, expiresAt: held.expiresAt, history: [
    { event: 'received' }, { event: 'held' }, { event: 'released', reviewer: REVIEWER },
  ] })
  expect(added.map(({ key, dueAt }) => [key, dueAt])).toEqual([
    ['post:slack', NOW + 1 + LEASE], ['post:discord', NOW + 1 + LEASE],
  ])
  expect(finished).toBe(false)
  expect(refusal(held, { type: 'released', reviewer: REVIEWER, rooms: [] }, held.expiresAt)).toBe('expired')
})

test('deleted it is over; nothing else is released or deleted', () => {
  expect(step(held, { type: 'deleted', reviewer: REVIEWER })).toMatchObject({
    finished: true, added: [], next: { data: null, work: [] },
  })
  for (const type of ['released', 'deleted'] as const) expect(
    refusal(open, { type, reviewer: REVIEWER, rooms: [] }),
  ).toBe('not-held')
})

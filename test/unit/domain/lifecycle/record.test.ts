import { expect, test } from 'vitest'
import type { LifecycleEvent } from '../../../../server/domain/lifecycle/events'
import { keptUntil, sameCard, withEntry, withOriginals } from '../../../../server/domain/lifecycle/record'
import type { Submission } from '../../../../server/ports/submission'
import { claimed, DATA, DISCORD, LEASE, NOW, posted, REVIEWER, SLACK, spam, step } from '../../../fixtures/lifecycle'

test.each<[string, LifecycleEvent]>([
  ['expires', { type: 'expired' }], ['is spam', spam], ['is erased', { type: 'erased', reviewer: REVIEWER }],
])('what %s forgets with its data what was edited in it, what stood there before, and what its page said', (_, event) => {
  const now = event.type === 'expired' ? posted().expiresAt : NOW
  for (const traces of [{ edited: ['name'] }, { before: DATA }, { envelope: { subject: 'Engines' } }]) {
    const { data, edited, before, envelope } = step({ ...posted(), ...traces }, event, now).next
    expect([data, edited, before, envelope]).toEqual([null, [], undefined, undefined])
  }
})

test('a card whose edit failed is edited at once when there is something new to show, not when that is tried again', () => {
  const decided = step(posted(), claimed({ action: 'spam', revocableMs: LEASE })).next
  const failed = decided.work.reduce<Submission>((current, { key }) => step(
    current, { type: 'failed', key, reason: 'Slack is down.', retryAt: NOW + LEASE + 1 },
  ).next, decided)
  const { next, added } = step(failed, { type: 'revoked', action: 'spam', reviewer: REVIEWER })
  expect(next.work.map(({ kind, dueAt }) => [kind, dueAt])).toEqual([['update', NOW + LEASE], ['update', NOW + LEASE]])
  expect(added).toEqual(next.work)
})

test('a card whose edit is under way is looked after by that, and at once where who was at it has died', () => {
  const decided = step(posted(), claimed({ action: 'spam', revocableMs: 2 * LEASE })).next
  const revoked = (now: number) => step(decided, { type: 'revoked', action: 'spam', reviewer: REVIEWER }, now).added
  expect([revoked(NOW + LEASE - 1), revoked(NOW + LEASE)].map(added => added.map(({ kind }) => kind))).toEqual(
    [[], ['update', 'update']],
  )
})

test('form data is kept until a receipt comes no longer than its 7 days, and never shorter than it was to be', () => {
  const current = { ...posted(), keptUntil: NOW + 1000 }
  const { expiresAt } = current
  expect([expiresAt + 1, NOW + 2000, NOW].map(wanted => keptUntil(current, wanted))).toEqual(
    [expiresAt, NOW + 2000, NOW + 1000],
  )
})

test('what the sender wrote stays what stood there before the first edit', () => {
  const twice = { ...posted(), before: { name: 'Ada' }, data: { name: 'Grace', age: 36 } }
  expect(withOriginals(twice, ['name', 'age'])).toEqual({ name: 'Ada', age: 36 })
})

test('messages of two platforms are two, though they have one id', () => {
  expect([sameCard(SLACK, { ...SLACK }), sameCard(SLACK, { ...DISCORD, messageId: SLACK.messageId })]).toEqual(
    [true, false],
  )
})

test('a history that grows long keeps when the form came in, and the latest', () => {
  const current = { ...posted(), history: [{ at: NOW, event: 'received' as const }] }
  const { history } = Array.from({ length: 70 }, (_, number) => NOW + 1 + number).reduce<Submission>(
    (grown, at) => ({ ...grown, history: withEntry(grown, { at, event: 'reopened' }) }), current,
  )
  expect([history.length, history[0], history[1]!.at, history.at(-1)!.at]).toEqual(
    [60, current.history[0], NOW + 12, NOW + 70],
  )
})

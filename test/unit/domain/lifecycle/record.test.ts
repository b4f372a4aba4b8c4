import { expect, test } from 'vitest'
import type { LifecycleEvent } from '../../../../server/domain/lifecycle/events'
import {
  keptUntil, sameCard, withEntry, withOriginals, storeRules, isOver, traceOf,
} from '../../../../server/domain/lifecycle/record'
import type { Submission, Reviewer, Work } from '../../../../server/ports/submission'
import { claimed, DATA, DISCORD, LEASE, NOW, posted, REVIEWER, SLACK, spam, step } from '../../../fixtures/lifecycle'
import { decided, submission } from '../../../fixtures/submissions'
import { openTriage } from '../../../fakes/triage'

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

const { isIn, dataLivesUntil } = storeRules
const FAILURES = [{ delivery: 'email' as const, reason: 'Refused.' }]

test.each<[boolean, string, Partial<Submission>]>([
  [true, 'opened again by a failure', { failures: FAILURES }],
  [true, 'refused as a card', { work: [{ key: 'post:slack', kind: 'post', attempts: 1, dueAt: 1, refused: true }] }],
  [false, 'decided again, and keeps why it failed before', { state: 'settling', failures: FAILURES }],
  [false, 'waiting for its first decision', {}],
])('that somebody is needed is %s for what is %s', (isNeeded, _, changes) => {
  expect(isIn.stuck(submission(changes))).toBe(isNeeded)
})

test.each<[boolean, string, Partial<Work>]>([
  [false, 'on its first attempt', {}], [true, 'after a failed attempt', { attempts: 1 }],
  [true, 'put off before its first attempt', { reason: 'It rests.' }],
  [false, 'a card', { kind: 'update', attempts: 1 }],
])('that a delivery is tried again is %s for one that is %s', (isIt, _, changes) => {
  const work = [{ key: 'email#2', kind: 'email', attempts: 0, dueAt: 1, ...changes }]
  expect(isIn.retrying(submission({ state: 'settling', work }))).toBe(isIt)
})

test('form data that is kept for a receipt is kept until all cards have followed, too', () => {
  const decision = { ...decided(submission()).decision!, at: 1 }
  const keptSubmission = submission({ state: 'settled', decision, keptUntil: 5, work: [] })
  const card = { platform: 'slack', threadId: 'slack:C1', messageId: '1' }
  const work = [{ key: 'update', kind: 'update' as const, card, attempts: 1, dueAt: 1 }]
  const updatingSubmission = { ...keptSubmission, work }
  expect([dataLivesUntil(keptSubmission), dataLivesUntil(updatingSubmission)]).toEqual([5, keptSubmission.expiresAt])
})

test('what was edited and forwarded leaves nothing of its form, of what stood there before, or of its page', async () => {
  const { decide, receive, runtime, store } = await openTriage()
  const envelope = { subject: 'only-here', replyTo: 'only-here@example.com' }
  const id = await receive({ name: 'only-here' }, { envelope })
  await runtime.drain()
  await decide({ id, action: 'edit', values: { f0: 'Grace' } })
  await runtime.drain()
  const trace = (await store.get(id))!
  expect(trace).toSatisfy(isOver)
  expect(JSON.stringify(trace)).not.toMatch(/only-here|Grace/)
  expect(trace.sent!.map(({ content }) => content)).toEqual(['', ''])
})

test('a trace is bounded, and the same once it was looked after again', () => {
  const reviewer: Reviewer = { id: 'U1', name: `${'x'.repeat(79)}😀`, platform: 'Slack' }
  const cards = Array.from({ length: 25 }, (_, index) => (
    { platform: 'slack', threadId: 'slack:C1', messageId: String(index) }
  ))
  const trace = traceOf(decided(submission(), {
    cards, decision: { action: 'forward', reviewer, at: 1 }, erased: { reviewer, at: 2 },
    history: [{ at: 1, event: 'claimed', action: 'forward', edited: false, reviewer, press: 'p'.repeat(99) }],
  }))
  const name = 'x'.repeat(79)
  expect(trace).toMatchObject({ decision: { reviewer: { name } }, erased: { reviewer: { name } } })
  expect(trace.pressed).toBe('p'.repeat(64))
  expect(trace.cards).toEqual(cards.slice(5))
  expect(traceOf(trace)).toEqual(trace)
})

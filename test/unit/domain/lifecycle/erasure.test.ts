import { SUBMISSION_TTL_MS } from '../../../../shared/lifetimes'
import { expect, test } from 'vitest'
import type { LifecycleEvent } from '../../../../server/domain/lifecycle/events'
import { dataLivesUntil, nextAttention, traceOf } from '../../../../server/domain/lifecycle/record'
import type { Submission } from '../../../../server/ports/submission'
import {
  claimed, finish, giveUp, kinds, LEASE, NOW, posted, received, refusal, REVIEWER, SLACK, spam, step,
} from '../../../fixtures/lifecycle'
import { PRESENTATION } from '../../../fixtures/views'
import { cardInWords } from '../../../support/words'

const erasure: LifecycleEvent = { type: 'erased', reviewer: REVIEWER }
const edit = { data: { name: 'Grace' }, edited: ['name'] }

const stages: [string, Submission][] = [
  ['open', posted()], ['open again', giveUp(step(posted(), claimed({ deliveries: ['email'] })).next, 'email').next],
  ['being delivered', step(posted(), claimed({ edit })).next],
  ['kept spam', step(posted(), { ...spam, revocableMs: 1000 } as LifecycleEvent).next],
  ['delivered', finish(finish(step(posted(), claimed()).next, 'email').next, 'endpoint').next],
  ['a trace', traceOf({ ...step(posted(), claimed()).next, state: 'settled' })],
  ['expired', step(posted(), { type: 'expired' }, NOW + SUBMISSION_TTL_MS).next],
]

test.each(stages)('what is %s has no form data left, no names of fields, and nothing to do but its cards', (_, current) => {
  const { next, added, finished } = step(current, erasure, NOW + SUBMISSION_TTL_MS)
  expect(next).toMatchObject({
    state: 'erased', data: null, edited: [], failures: [], erased: { reviewer: REVIEWER, at: NOW + SUBMISSION_TTL_MS },
  })
  expect(next.before).toBeUndefined()
  expect(next.sent ?? []).toEqual((next.sent ?? []).map(each => ({ ...each, content: '' })))
  expect([kinds(next), added, finished]).toEqual([['update slack', 'update discord'], next.work, false])
  expect(cardInWords(next, PRESENTATION)).toMatchObject({
    title: 'Form Submission erased', fields: [], actions: [],
    notes: [expect.stringMatching(/^Erased by Ada on Slack, /)],
  })
})

test('a card that was in flight says so, too, and a delivery that was on its way changes nothing', () => {
  const { next } = step(received(['slack']), erasure)
  expect(kinds(step(next, { type: 'done', key: 'post:slack', card: SLACK }).next)).toEqual(['update slack'])
  const sending = step(posted(), claimed()).next
  const { key } = sending.work.find(({ kind }) => kind === 'email')!
  expect(refusal(step(sending, erasure).next, { type: 'done', key })).toBe('unknown-work')
})

test('an email that left while it was erased is on record, without content, and so is what becomes of it', () => {
  const sending = step(posted(), claimed({ deliveries: ['email'] })).next
  const { key } = sending.work.find(({ kind }) => kind === 'email')!
  const sent = { delivery: 'email' as const, content: 'x', to: ['team@example.com'], messageId: 'm1' }
  const trace = traceOf(step(sending, erasure).next)
  const { next, added, finished } = step(trace, { type: 'done', key, sent, keepMs: 1000 }, NOW + 1)
  expect([next.sent, next.delivered]).toEqual([[{ ...sent, content: '', at: NOW + 1 }], ['email']])
  expect([added, finished, next.state]).toEqual([[], true, 'erased'])
  const told = step(next, { type: 'receipt', messageId: 'm1', receipt: { verdict: 'bounced' } }, NOW + 2)
  expect([told.added, told.next.sent]).toMatchObject([[], [{ receipt: { verdict: 'bounced' } }]])
})

test('it is over with its cards, although those of a forward would have shown the form for longer', () => {
  const current = { ...posted(), state: 'settled' as const, data: null, work: [], collapse: { at: NOW + 1000 } }
  const { next, finished } = finish(finish(step(current, erasure).next, 'update').next, 'update')
  expect([finished, nextAttention(next)]).toEqual([true, Infinity])
})

test('its record is kept from the erasure on, however late that is', () => {
  const lateAt = NOW + 2 * SUBMISSION_TTL_MS
  expect(dataLivesUntil(step(posted(), erasure, lateAt).next)).toBe(lateAt)
})

test('the endpoint is told beside the cards, and after what it may be getting right now', () => {
  const notifying = { ...erasure, told: ['endpoint'] } as LifecycleEvent
  const open = step(posted(), notifying)
  expect([kinds(open.next), open.added]).toEqual([['update slack', 'update discord', 'erasure'], open.next.work])
  const sending = step(posted(), claimed()).next
  const { next, added } = step(sending, notifying, NOW + 1)
  expect(added.map(({ kind }) => kind)).toEqual(['update', 'update'])
  expect(refusal(next, { type: 'leased', keys: ['erasure:endpoint#4'] }, NOW + LEASE)).toBe('not-due')
  const { key } = next.work.find(({ kind }) => kind === 'erasure')!
  expect(step(next, { type: 'leased', keys: [key] }, NOW + 1 + LEASE).added).toMatchObject([{ kind: 'erasure' }])
  const waiting = finish(finish(next, 'update').next, 'update')
  expect([waiting.finished, finish(waiting.next, 'erasure').finished]).toEqual([false, true])
})

test.each([['overdue', NOW], ['put off for long', NOW + LEASE + 1]])(
  'the endpoint is told at once while what it should get is %s, because nobody is at it', (_, dueAt) => {
    const sending = step(posted(), claimed({ deliveries: ['endpoint'] })).next
    const current = { ...sending, work: sending.work.map(work => ({ ...work, dueAt })) }
    const { added } = step(current, { ...erasure, told: ['endpoint'] } as LifecycleEvent)
    expect(added.map(({ kind }) => kind)).toEqual(['update', 'update', 'erasure'])
  },
)

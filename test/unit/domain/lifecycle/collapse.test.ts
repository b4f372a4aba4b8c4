import { expect, test } from 'vitest'
import { transition } from '../../../../server/domain/lifecycle/lifecycle'
import type { LifecycleEvent } from '../../../../server/domain/lifecycle/events'
import { dataLivesUntil, nextAttention, isOver } from '../../../../server/domain/lifecycle/record'
import type { Submission } from '../../../../server/ports/submission'
import {
  claimed, finish, kinds, LEASE, NOW, posted, REVIEWER, spam, step as plainStep,
} from '../../../fixtures/lifecycle'
import { PRESENTATION } from '../../../fixtures/views'
import { cardInWords } from '../../../support/words'

const TTL = 30 * 24 * 60 * 60 * 1000

function step(current: Submission, event: LifecycleEvent, now = NOW) {
  const result = transition(current, event, now, LEASE, TTL)
  if ('refused' in result) throw new Error(`refused: ${result.refused}`)
  return { ...result, finished: isOver(result.next) }
}

/** Completes all outstanding work. */
function finishAll(current: Submission, now = NOW) {
  let result: { next: Submission } = { next: current }
  while (result.next.work.length > 0) {
    result = step(result.next, { type: 'done', key: result.next.work[0]!.key }, now)
  }
  return { ...result, finished: isOver(result.next) }
}

test('a forward whose cards follow is kept without form data until its cards show none either', () => {
  const { next, finished } = finishAll(step(posted(), claimed()).next)
  expect(next).toMatchObject({ state: 'settled', data: null, collapse: { at: NOW + TTL }, history: [], edited: [] })
  expect([finished, isOver(next), nextAttention(next), dataLivesUntil(next)]).toEqual([
    false, false, NOW + TTL, NOW + TTL,
  ])
  expect(transition(next, { type: 'collapsing' }, NOW + TTL - 1, LEASE, TTL)).toEqual({ refused: 'not-due' })

  const collapsed = step(next, { type: 'collapsing' }, NOW + TTL)
  expect(kinds(collapsed.next)).toEqual(['update slack', 'update discord'])
  expect(collapsed.added).toEqual(collapsed.next.work)
  expect(cardInWords(collapsed.next, PRESENTATION)).toMatchObject({
    title: 'Form Submission forwarded', fields: [], actions: [],
    notes: [expect.stringMatching(/^Forwarded by Ada on Slack/)],
  })
  const over = finishAll(collapsed.next, NOW + TTL)
  expect([over.finished, isOver(over.next), nextAttention(over.next)]).toEqual([true, true, Infinity])
})

test('a forward without a card has nothing to wait for', () => {
  expect(finishAll(step({ ...posted(), cards: [] }, claimed()).next).finished).toBe(true)
})

test('with receipts, cards show the form until the same time, however long the data was kept', () => {
  const sent = { delivery: 'email' as const, content: 'x', to: ['team@example.com'], messageId: 'm1' }
  const report = (current: Submission) => ({
    type: 'done' as const, key: current.work.find(({ kind }) => kind === 'email')!.key, sent, keepMs: 1000,
  })
  const current = step(posted(), claimed({ deliveries: ['email'] })).next
  const kept = finishAll(step(current, report(current)).next).next
  expect([kept.collapse, nextAttention(kept), dataLivesUntil(kept)]).toEqual([undefined, NOW + 1000, NOW + 1000])
  // The store erased the data when it expired.
  const { next } = step({ ...kept, data: null }, { type: 'forgotten' }, NOW + 1000)
  expect([next.collapse, nextAttention(next), dataLivesUntil(next)]).toEqual([{ at: NOW + TTL }, NOW + TTL, NOW + TTL])

  const over = finishAll(step(next, { type: 'collapsing' }, NOW + TTL).next, NOW + TTL)
  const bounced = { type: 'receipt', messageId: 'm1', receipt: { verdict: 'bounced' } } as const
  const told = finishAll(step(over.next, bounced, NOW + TTL + 1).next, NOW + TTL + 1)
  expect([over.finished, told.finished]).toEqual([true, true])
})

test('a platform that is away when the time comes is tried for a week from then on', () => {
  const { next } = step(finishAll(step(posted(), claimed()).next).next, { type: 'collapsing' }, NOW + TTL)
  const { key } = next.work[0]!
  const later = (days: number) => NOW + TTL + days * 24 * 60 * 60 * 1000
  const failed = (retryAt: number) => step(next, { type: 'failed', key, reason: 'Down.', retryAt }, NOW + TTL).next
  expect(failed(later(6)).work.find(work => work.key === key)).toMatchObject({ dueAt: later(6) })
  expect(failed(later(8)).work.some(work => work.key === key)).toBe(false)
})

test('spam, what expired and what was erased is over at once: their cards show nothing of the form', () => {
  const day = posted().expiresAt
  for (const [event, now] of [
    [spam, NOW], [{ type: 'expired' }, day], [{ type: 'erased', reviewer: REVIEWER }, NOW],
  ] as const) expect(finishAll(step(posted(), event, now).next, now).finished).toBe(true)
})

test('without the setting nothing is kept for it', () => {
  const { next } = finish(finish(plainStep(posted(), claimed()).next, 'email').next, 'endpoint')
  const over = finish(finish(next, 'update').next, 'update')
  expect([over.finished, over.next.collapse]).toEqual([true, undefined])
})

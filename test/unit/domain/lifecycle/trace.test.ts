import { expect, test } from 'vitest'
import { isOver, traceOf } from '../../../../server/domain/lifecycle/record'
import type { Reviewer } from '../../../../server/ports/submission'
import { openTriage } from '../../../fakes/triage'
import { decided, submission } from '../../../fixtures/submissions'

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

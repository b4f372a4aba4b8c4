import { describe, expect, test } from 'vitest'
import type { LifecycleEvent } from '../../../../server/domain/lifecycle/events'
import { contentHash, dataLivesUntil, listOf, nextAttention } from '../../../../server/domain/lifecycle/record'
import type { Delivery, Submission } from '../../../../server/ports/submission'
import {
  claimed, DATA, DISCORD, finish, giveUp, kinds, LEASE, NOW, posted, refusal, REVIEWER, SLACK, spam, step,
} from '../../../fixtures/lifecycle'
import { decisions, PRESENTATION } from '../../../fixtures/views'
import { cardInWords } from '../../../support/words'

const UNDO = 10_000
const HOLD = 24 * 60 * 60 * 1000
const revoked = (action: 'forward' | 'spam', press?: string): LifecycleEvent => ({
  type: 'revoked', action, reviewer: REVIEWER, press,
})
const undoable = (details = {}) => step(posted(), claimed({ revocableMs: UNDO, ...details })).next
const kept = () => step(posted(), { ...spam, revocableMs: HOLD } as LifecycleEvent).next
const keys = (submission: ReturnType<typeof undoable>) => submission.work.map(({ key }) => key)
const view = (submission: ReturnType<typeof undoable>) => cardInWords(submission, PRESENTATION)

describe('a forward that can be undone', () => {
  test('goes out that much later, and says when on every card', () => {
    const { next, added } = step(posted(), claimed({ revocableMs: UNDO }))
    expect(next.work.map(({ kind, dueAt }) => [kind, dueAt])).toEqual([
      ['update', NOW + LEASE], ['update', NOW + LEASE], ['email', NOW + UNDO], ['endpoint', NOW + UNDO],
    ])
    expect(added.map(({ kind }) => kind)).toEqual(['update', 'update'])
    expect(view(next)).toMatchObject({ actions: [{ id: 'undo', label: 'Undo' }], notes: [
      expect.stringMatching(/^Forwarded by Ada/),
      'Goes to team@example.com and downstream.example.com at 00:00:10 UTC',
    ] })
  })

  test('is nobody\'s work yet, however long the undo is', () => {
    const { added } = step(posted(), claimed({ revocableMs: LEASE }))
    expect(added.map(({ kind }) => kind)).toEqual(['update', 'update'])
  })

  test('is open again when it was undone, with what was edited, and nothing of it is left to send', () => {
    const current = undoable({ edit: { data: { name: 'Grace' }, edited: ['name'] } })
    const { next, finished } = step(current, revoked('forward'), NOW + 1)
    expect(next).toMatchObject({
      state: 'open', decision: null, data: { name: 'Grace' }, edited: ['name'], revocableUntil: undefined,
    })
    expect([kinds(next), finished]).toEqual([['update slack', 'update discord'], false])
    expect(view(next)).toMatchObject({
      actions: decisions(), notes: ['Taken back by Ada on Slack, 21 Nov 2026, 00:00 UTC'],
    })
    expect(view(step(next, claimed({ revocableMs: UNDO }), NOW + 2).next).notes.join()).not.toContain('Taken back')
    expect(refusal(next, { type: 'leased', keys: keys(current) }, NOW + UNDO)).toBe('not-due')
    expect(step(next, claimed(), NOW + 2).next.work.some(({ key }) => keys(current).includes(key))).toBe(false)
  })

  test('can be undone as long as nothing of it was leased, however late that is, and not after', () => {
    expect(refusal(undoable(), revoked('forward'), NOW + 10 * UNDO)).toBeNull()
    const { next, added } = step(undoable(), { type: 'leased', keys: keys(undoable()) }, NOW + UNDO)
    expect(added.map(({ kind }) => kind)).toEqual(['email', 'endpoint'])
    expect(refusal(next, revoked('forward'), NOW + UNDO)).toBe('irrevocable')
    expect(view(next)).toMatchObject({ actions: [], notes: [
      expect.anything(), 'Being sent to team@example.com and downstream.example.com',
    ] })
  })

  test('costs each card two edits: that it goes out, and that it went', () => {
    let current = undoable()
    for (const card of [SLACK, DISCORD]) {
      const { key } = current.work.find(work => work.card?.platform === card.platform)!
      current = step(current, { type: 'done', key, card, version: current.version }).next
    }
    const leased = step(current, { type: 'leased', keys: keys(current) }, NOW + UNDO)
    expect(leased.added.map(({ kind }) => kind)).toEqual(['email', 'endpoint', 'update', 'update'])
    current = finish(finish(leased.next, 'email').next, 'endpoint').next
    expect(current).toMatchObject({ state: 'settled' })
    expect(kinds(current)).toEqual(['update slack', 'update discord'])
  })

  test('that has nothing to send is over at once', () => {
    expect(step(posted(), claimed({ deliveries: [], revocableMs: UNDO })).next).toMatchObject({
      state: 'settled', revocableUntil: undefined,
    })
  })

  test('is undone once by one press, also when that is sent again', () => {
    const open = step(undoable(), revoked('forward', 'p1'), NOW + 1).next
    const again = step(open, claimed({ revocableMs: UNDO }), NOW + 2).next
    expect(refusal(again, revoked('forward', 'p1'), NOW + 3)).toBe('irrevocable')
    expect(refusal(again, revoked('forward', 'p2'), NOW + 3)).toBeNull()
  })
})

describe('spam that is kept', () => {
  test('is decided, with its data and one button, until its time, and shows none of it', () => {
    const { next, finished } = step(posted(), { ...spam, revocableMs: HOLD } as LifecycleEvent)
    expect(next).toMatchObject({ state: 'settled', data: DATA, revocableUntil: NOW + HOLD })
    expect([finished, listOf(next), dataLivesUntil(next), nextAttention({ ...next, work: [] })]).toEqual([
      false, 'spam', NOW + HOLD, NOW + HOLD,
    ])
    expect(view(next)).toMatchObject({ fields: [], actions: [{ id: 'not_spam', label: 'Not spam' }] })
  })

  test('stays when its cards have followed, and never longer than its 7 days', () => {
    const current = finish(kept(), 'update').next
    expect(finish(current, 'update')).toMatchObject({ finished: false, next: { data: DATA } })
    const late = posted().expiresAt - 1000
    expect(step(posted(), { ...spam, revocableMs: HOLD } as LifecycleEvent, late).next.revocableUntil).toBe(late + 1000)
  })

  test('is open again when it was none, with everything it had', () => {
    const { next } = step(kept(), revoked('spam'), NOW + HOLD - 1)
    expect(view(next).notes).toEqual([expect.stringMatching(/^Not spam, says Ada on Slack, /)])
    expect(next).toMatchObject({ state: 'open', decision: null, data: DATA, revocableUntil: undefined })
    expect(view(next)).toMatchObject({ actions: decisions(), fields: [{ value: 'Ada' }] })
  })

  test('is erased at its time, when its cards lose the button, and cannot be taken back from then on', () => {
    const cards = finish(finish(kept(), 'update').next, 'update').next
    const { next, added, finished } = step(cards, { type: 'forgotten' }, NOW + HOLD)
    expect(next).toMatchObject({ state: 'settled', data: null, edited: [], revocableUntil: undefined })
    expect([added.map(({ kind }) => kind), finished, view(next).actions]).toEqual([['update', 'update'], false, []])
    expect(finish(finish(next, 'update').next, 'update').finished).toBe(true)
  })
})

describe('what failed before', () => {
  const failures = [{ delivery: 'email' as const, reason: 'Bounced.' }]
  const lost = { delivery: 'email' as const, content: 'x', to: ['a@example.com'], at: NOW, receipt: {
    verdict: 'bounced' as const,
  } }
  const returned = { ...posted(), failures, sent: [lost], delivered: ['endpoint' as const] }
  const actions = (submission: typeof returned) => view(submission).actions.map(({ id }) => id)

  test.each([['forward', claimed({ revocableMs: UNDO })], [
    'spam', { ...spam, revocableMs: HOLD } as LifecycleEvent,
  ]] as const)('is there again when a %s is taken back, and not shown until then', (action, event) => {
    expect(actions(returned)).toEqual(['send_again', 'edit', 'spam'])
    const current = step(returned, event).next
    expect(view(current).notes.join()).not.toContain('failed')
    const { next } = step(current, revoked(action), NOW + 1)
    expect([next.failures, actions(next as typeof returned)]).toEqual([failures, ['send_again', 'edit', 'spam']])
  })

  test('does not count any more from when it is sent again', () => {
    const current = step(returned, claimed({ revocableMs: UNDO })).next
    const { next } = step(current, { type: 'leased', keys: keys(current) }, NOW + UNDO)
    expect(finish(next, 'email').next).toMatchObject({ state: 'settled', failures: [] })
  })

  const begin = (current: Submission) => step(current, { type: 'leased', keys: keys(current) }, NOW + UNDO).next
  const forward = (current: Submission, details = {}) => step(current, claimed({ revocableMs: UNDO, ...details })).next
  const deliver = (current: Submission, delivery: Delivery, key: string) => step(current, {
    type: 'done', key: current.work.find(({ kind }) => kind === delivery)!.key,
    sent: { delivery, content: contentHash(current.data!), to: ['a@example.com'], messageId: key },
  }).next
  const edit = (name: string) => ({ edit: { data: { name }, edited: ['name'] } })

  test('does not fail a round that does not repeat it, because it has these values', () => {
    const first = giveUp(deliver(begin(forward(posted())), 'endpoint', 'a'), 'email').next
    const second = giveUp(deliver(begin(forward(first, edit('Grace'))), 'email', 'b'), 'endpoint').next
    expect(second).toMatchObject({ state: 'open', failures: [{ delivery: 'endpoint' }] })
    const third = begin(forward(second, edit('Ada')))
    expect(kinds(third)).toContain('email')
    expect(deliver(third, 'email', 'c')).toMatchObject({
      state: 'settled', delivered: ['endpoint', 'email'], failures: [],
    })
  })

  test('does not fail a round without it, which is not configured any more', () => {
    const failed = giveUp(giveUp(begin(forward(posted())), 'email').next, 'endpoint').next
    const email = begin(forward(failed, { deliveries: ['email'] }))
    expect(finish(email, 'email').next).toMatchObject({ state: 'settled', failures: [] })
    const lostBefore = forward({ ...returned, ...{ delivered: [] } }, { deliveries: ['endpoint'] })
    expect(finish(begin(lostBefore), 'endpoint').next).toMatchObject({ state: 'settled', failures: [] })
  })

  test('counts if it is an email that came back while the rest could be taken back', () => {
    const first = giveUp(deliver(begin(forward(posted())), 'email', 'a'), 'endpoint').next
    const back = step(forward(first), { type: 'receipt', messageId: 'a', receipt: { verdict: 'bounced' } }).next
    expect(finish(begin(back), 'endpoint').next).toMatchObject({ state: 'open', failures: [
      { delivery: 'email', reason: 'Bounced.' },
    ] })
  })
})

test('a forward of a version that knows no way back is over when it was delivered', () => {
  const { next } = step(posted(), claimed({ deliveries: ['email'] }))
  const delivered = finish({ ...next, revocableUntil: NOW + UNDO, work: next.work.slice(-1) }, 'email')
  expect([delivered.next.state, delivered.finished, listOf(delivered.next)]).toEqual(['settled', false, null])
  expect(view(delivered.next).actions).toEqual([])
})

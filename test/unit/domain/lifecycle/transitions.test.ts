import { expect, test } from 'vitest'
import { SUBMISSION_TTL_MS } from '../../../../shared/lifetimes'
import type { LifecycleEvent } from '../../../../server/domain/lifecycle/events'
import { transition } from '../../../../server/domain/lifecycle/lifecycle'
import { isOver, traceOf } from '../../../../server/domain/lifecycle/record'
import type { Submission } from '../../../../server/ports/submission'
import {
  claimed, DATA, finish, giveUp, LEASE, NOW, posted, REVIEWER, spam, step as stepAt,
} from '../../../fixtures/lifecycle'

const EXPIRY = NOW + SUBMISSION_TTL_MS
const LAST = EXPIRY - 1
const step = (current: Submission | null, event: LifecycleEvent) => stepAt(current, event, LAST).next
const revocable = { revocableMs: 10_000 }
const settling = step(posted(), claimed())
const delivered = ['email', 'endpoint', 'update', 'update'].reduce((each, kind) => finish(each, kind).next, settling)

/** One submission of each kind, a moment before 7 days have passed */
const STATES = {
  'gone': null, 'held': stepAt(null, { type: 'received', id: 'one', data: DATA, rooms: [], held: true }).next,
  'open': posted(), 'emptied': { ...posted(), data: null },
  'failed': giveUp(step(posted(), claimed({ deliveries: ['email'] })), 'email').next,
  'revocable': step(posted(), claimed(revocable)), settling, 'forwarded': traceOf(delivered),
  'kept spam': step(posted(), claimed({ ...revocable, action: 'spam' })), 'spam': step(posted(), spam),
  'expired': stepAt(posted(), { type: 'expired' }, EXPIRY).next,
  'erased': step(posted(), { type: 'erased', reviewer: REVIEWER }),
} satisfies Record<string, Submission | null>

type Results = Partial<Record<keyof typeof STATES, string>>

const UNDECIDED = { held: 'held', open: 'expired', emptied: 'expired', failed: 'expired' }
const ERASED = '(erased)'

/**
 * Event, its refusal in all states not listed, and its results by state: in the last ms of 7 days, and after 7 days. A
 * result is the next state (in brackets if the form data is gone) or a refusal.
 */
const EVENTS: [name: string, event: LifecycleEvent, otherwise: string, before: Results, after: Results][] = [
  ['forward', claimed(), 'decided', { ...UNDECIDED, open: 'settling', failed: 'settling' }, UNDECIDED],
  ['mark as spam', spam, 'decided', { ...UNDECIDED, open: '(settled)', failed: '(settled)' }, UNDECIDED],
  [
    'undo', { type: 'revoked', action: 'forward', reviewer: REVIEWER }, 'irrevocable', { revocable: 'open' },
    { revocable: 'open' },
  ],
  ['say that it is no spam', { type: 'revoked', action: 'spam', reviewer: REVIEWER }, 'irrevocable', {
    'kept spam': 'open',
  }, {}],
  ['release', { type: 'released', reviewer: REVIEWER, rooms: [] }, 'not-held', { held: 'open' }, { held: 'expired' }],
  ['erase', { type: 'erased', reviewer: REVIEWER }, ERASED, { erased: 'decided' }, { erased: 'decided' }],
  ['take', { type: 'taken', person: REVIEWER, forMs: 1 }, 'decided', {
    ...UNDECIDED, open: 'open', failed: 'open',
  }, UNDECIDED],
  ['hand back', { type: 'returned', who: 'slack:U1' }, 'decided', {
    ...UNDECIDED, open: 'unchanged', failed: 'unchanged',
  }, UNDECIDED],
  ['note', { type: 'noted', action: 'call-back', reviewer: REVIEWER }, 'decided', {
    ...UNDECIDED, open: 'open', failed: 'open',
  }, UNDECIDED],
  ['expire', { type: 'expired' }, 'not-due', {}, {
    held: '(expired)', open: '(expired)', emptied: '(expired)', failed: '(expired)',
  }],
  ['remind', { type: 'expiring' }, 'not-due', { open: 'open', emptied: '(open)', failed: 'open' }, {
    open: 'open', emptied: '(open)', failed: 'open',
  }],
  ['forget', { type: 'forgotten' }, 'not-due', {}, { 'kept spam': '(settled)' }],
  ['collapse', { type: 'collapsing' }, 'not-due', {}, {}],
  ['lease nothing', { type: 'leased', keys: [] }, 'not-due', {}, {}],
  ['report unknown work done', { type: 'done', key: 'none' }, 'unknown-work', {}, {}],
  ['report unknown work failed', { type: 'failed', key: 'none', reason: '', retryAt: 1 }, 'unknown-work', {}, {}],
  ['report an unknown email', { type: 'receipt', messageId: 'none', receipt: { verdict: 'bounced' } }, 'unknown-email',
    {}, {}],
]

test.each(EVENTS)('the event %s has one result in each state, and every card follows', (name, event, otherwise, ...results) => {
  for (const [index, now] of [LAST, EXPIRY].entries()) {
    const found = Object.fromEntries(Object.entries(STATES).map(([state, current]) => {
      const result = transition(current, event, now, LEASE)
      if ('refused' in result) return [state, result.refused]
      const { next } = result
      const edited = next.work.flatMap(({ kind, card }) => kind === 'update' ? [card] : [])
      if (name !== 'remind') expect(edited).toEqual(expect.arrayContaining([...next.cards]))
      if (!next.data && next.cards.length === 0) expect(next).toSatisfy(isOver)
      return [state, next.data ? next.state : `(${next.state})`]
    }))
    const expected = Object.keys(STATES).map(state => [state, state === 'gone' ? 'gone' : otherwise])
    expect(found).toEqual({ ...Object.fromEntries(expected), ...results[index] })
  }
})

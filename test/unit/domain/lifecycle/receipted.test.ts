import { describe, expect, test } from 'vitest'
import { cardView } from '../../../../server/domain/cards/card-view'
import { receiptNews, isNews, receiptText } from '../../../../server/domain/lifecycle/email-status'
import { transition } from '../../../../server/domain/lifecycle/lifecycle'
import { isOver, traceOf } from '../../../../server/domain/lifecycle/record'
import type { LifecycleEvent } from '../../../../server/domain/lifecycle/events'
import type { Receipt, Submission, EmailStatus } from '../../../../server/ports/submission'
import { claimed, DATA, finish, giveUp, kinds, LEASE, NOW, posted, spam, step } from '../../../fixtures/lifecycle'
import { PRESENTATION } from '../../../fixtures/views'
import fc from 'fast-check'

const HOUR = 60 * 60 * 1000
const SENT = { delivery: 'email' as const, content: 'x', to: ['team@example.com'], messageId: 'm1' }
const VERDICTS: readonly EmailStatus[] = [
  'sent', 'delayed', 'delivered', 'complained', 'suppressed', 'failed', 'bounced',
]
const receipt = (verdict: EmailStatus): LifecycleEvent => ({
  type: 'receipt', messageId: 'm1', receipt: { verdict, reason: `because ${verdict}` } satisfies Receipt,
})

/** Completes the email of a submission. */
function finishEmail(current: Submission): Submission {
  const { key } = current.work.find(({ kind }) => kind === 'email')!
  return step(current, { type: 'done', key, sent: SENT, keepMs: HOUR }).next
}

const forwarded = finishEmail(step(posted(), claimed({ deliveries: ['email'] })).next)

/** Final state and card of a submission, without its history, for comparing different orders of events */
function outcome(submission: Submission) {
  const { state, data, decision, failures, delivered, sent } = submission
  const { title, notes, actions } = cardView(submission, PRESENTATION)
  return JSON.stringify({ state, data, decision, failures, delivered, sent, title, notes, actions })
}

function listOrders<T>(items: readonly T[]): T[][] {
  return items.length === 0
    ? [[]]
    : items.flatMap((item, index) => listOrders(items.toSpliced(index, 1)).map(rest => [item, ...rest]))
}

function applyReceipts(start: Submission, verdicts: readonly EmailStatus[]): Submission {
  return verdicts.reduce((current, verdict) => {
    const result = transition(current, receipt(verdict), NOW, LEASE)
    return 'refused' in result ? current : isOver(result.next) ? traceOf(result.next) : result.next
  }, start)
}

function listSubsets<T>(items: readonly T[], size: number): T[][] {
  return size === 0
    ? [[]]
    : items.flatMap((item, index) => listSubsets(items.slice(index + 1), size - 1).map(rest => [item, ...rest]))
}

describe('all 24 orders of four events of one email', () => {
  test('end in the same outcome and words, whichever four they are', () => {
    for (const verdicts of listSubsets(VERDICTS, 4)) {
      expect(new Set(listOrders(verdicts).map(order => outcome(applyReceipts(forwarded, order)))).size).toBe(1)
    }
  })

  test('have the same told where the form data is gone', () => {
    const trace = traceOf({ ...forwarded, work: [] })
    for (const verdicts of listSubsets(VERDICTS, 4)) {
      expect(new Set(listOrders(verdicts).map(order => receiptNews(applyReceipts(trace, order)))).size).toBe(1)
    }
  })
})

test('an email that came back opens its submission again, which can be sent again', () => {
  const { next } = step(forwarded, receipt('bounced'), NOW + 1)
  expect(next).toMatchObject({
    state: 'open', data: DATA, delivered: [], failures: [{ reason: 'Bounced: because bounced.' }],
  })
  expect(cardView(next, PRESENTATION).actions.map(({ id }) => id)).toEqual(['send_again', 'edit', 'spam'])
})

test('an email that came back is no reason to ask again about what is spam by now', () => {
  const half = giveUp(finishEmail(step(posted(), claimed()).next), 'endpoint').next
  const kept = step(half, { ...spam, revocableMs: HOUR } as LifecycleEvent).next
  const { next } = step(kept, receipt('bounced'), NOW + 1)
  expect(next).toMatchObject({ state: 'settled', decision: { action: 'spam' }, delivered: ['email'] })
  expect(next.sent).toMatchObject([{ receipt: { verdict: 'bounced' } }])
  expect(cardView(next, PRESENTATION).actions.map(({ id }) => id)).toEqual(['not_spam'])
})

test('a wait for a receipt ends with its round', () => {
  const both = step(posted(), claimed()).next
  const reopened = giveUp(finishEmail(both), 'endpoint').next
  expect([reopened.state, reopened.keptUntil]).toEqual(['open', undefined])
  expect(finish(step(reopened, spam).next, 'update').next.keptUntil).toBeUndefined()
})

test('an email that comes back while another one is on its way is no reason to send a third', () => {
  const half = giveUp(finishEmail(step(posted(), claimed()).next), 'endpoint').next
  const again = step(half, claimed({ edit: { data: { name: 'Grace' }, edited: ['name'] } })).next
  expect(step(again, receipt('bounced')).next).toMatchObject({ state: 'settling', failures: [] })
})

test('an email that comes back after its 7 days opens nothing again', () => {
  const { next } = step(forwarded, receipt('bounced'), forwarded.expiresAt)
  expect(next).toMatchObject({ state: 'settled', failures: [] })
})

test('form data is kept for a minute after the email arrived, never longer than before, and for its links as long', () => {
  const ends = [HOUR, 1000].map(ms => ({ ...forwarded, keptUntil: NOW + ms })).concat([
    { ...forwarded, keptUntil: forwarded.expiresAt },
  ]).map(current => step(current, receipt('delivered')).next.keptUntil)
  expect(ends).toEqual([NOW + 60_000, NOW + 1000, forwarded.expiresAt])
  // The email may still bounce.
  const delayed = step({ ...forwarded, keptUntil: NOW + HOUR }, receipt('delayed')).next
  expect(delayed.keptUntil).toBe(NOW + HOUR)
})

test('what became of an email is told once for each card, the latest news alone, and of what is erased to nobody', () => {
  const trace = traceOf({ ...forwarded, work: [] })
  const told = step(trace, receipt('delayed')).next
  const retried = told.work.reduce((current, { key }) => step(
    current, { type: 'failed', key, reason: 'Slack is down.', retryAt: NOW + HOUR },
  ).next, told)
  const latest = step(retried, receipt('bounced')).next
  expect([kinds(told), kinds(latest)]).toEqual([['tell slack', 'tell discord'], ['tell slack', 'tell discord']])
  expect(kinds(step({ ...trace, state: 'erased' }, receipt('bounced')).next)).toEqual([])
})

const anyReceipt = fc.record({
  verdict: fc.constantFrom(...VERDICTS), reason: fc.constantFrom('', 'mailbox is full', 'mailbox does not exist'),
}).map(({ verdict, reason }): Receipt => ({ verdict, ...reason ? { reason } : {} }))

const latestReceipt = (receipts: readonly Receipt[]) => receipts.reduce<Receipt | undefined>(
  (latest, next) => isNews(next, latest) ? next : latest, undefined,
)

test('receipts end in the same one, whatever their order and however often each comes', () => {
  const orders = fc.array(anyReceipt, { maxLength: 8 }).chain(receipts => fc.tuple(
    fc.constant(receipts), fc.shuffledSubarray(receipts, { minLength: receipts.length }), fc.array(fc.nat(7)),
  ))
  fc.assert(fc.property(orders, ([receipts, shuffled, repeats]) => {
    const repeated = repeats.flatMap(index => receipts[index] ?? [])
    const text = (latest: Receipt | undefined) => latest && receiptText(latest)
    expect(text(latestReceipt([...shuffled, ...repeated]))).toEqual(text(latestReceipt(receipts)))
  }))
})

test('what is known never goes back', () => {
  fc.assert(fc.property(anyReceipt, anyReceipt, (first, second) => {
    expect(isNews(first, first)).toBe(false)
    expect(isNews(first, second) && isNews(second, first)).toBe(false)
    expect(isNews(first, undefined)).toBe(first.verdict !== 'sent')
  }))
})

test.each([
  [{ verdict: 'delivered' }, 'Delivered'],
  [{ verdict: 'bounced', reason: 'mailbox does not exist' }, 'Bounced: mailbox does not exist'],
  [{ verdict: 'delayed' }, 'Delivery delayed'],
] as [Receipt, string][])('%j reads "%s"', (receipt, text) => expect(receiptText(receipt)).toBe(text))

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isNews, receiptText } from '../../../../server/domain/lifecycle/email-status'
import type { Receipt, EmailStatus } from '../../../../server/ports/submission'

const VERDICTS: EmailStatus[] = ['sent', 'delayed', 'delivered', 'complained', 'suppressed', 'failed', 'bounced']

const receipt = fc.record({
  verdict: fc.constantFrom(...VERDICTS), reason: fc.constantFrom('', 'mailbox is full', 'mailbox does not exist'),
}).map(({ verdict, reason }): Receipt => ({ verdict, ...reason ? { reason } : {} }))

const known = (receipts: readonly Receipt[]) => receipts.reduce<Receipt | undefined>(
  (last, next) => isNews(next, last) ? next : last, undefined,
)

test('receipts end in the same one, whatever their order and however often each comes', () => {
  const orders = fc.array(receipt, { maxLength: 8 }).chain(receipts => fc.tuple(
    fc.constant(receipts), fc.shuffledSubarray(receipts, { minLength: receipts.length }), fc.array(fc.nat(7)),
  ))
  fc.assert(fc.property(orders, ([receipts, shuffled, repeats]) => {
    const repeated = repeats.flatMap(index => receipts[index] ?? [])
    const text = (last: Receipt | undefined) => last && receiptText(last)
    expect(text(known([...shuffled, ...repeated]))).toEqual(text(known(receipts)))
  }))
})

test('what is known never goes back', () => {
  fc.assert(fc.property(receipt, receipt, (one, other) => {
    expect(isNews(one, one)).toBe(false)
    expect(isNews(one, other) && isNews(other, one)).toBe(false)
    expect(isNews(one, undefined)).toBe(one.verdict !== 'sent')
  }))
})

test.each([
  [{ verdict: 'delivered' }, 'Delivered'],
  [{ verdict: 'bounced', reason: 'mailbox does not exist' }, 'Bounced: mailbox does not exist'],
  [{ verdict: 'delayed' }, 'Delivery delayed'],
] as [Receipt, string][])('%j reads "%s"', (receipt, text) => expect(receiptText(receipt)).toBe(text))

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isNews, receiptText } from '../../../../server/domain/lifecycle/email-status'
import type { Receipt, EmailStatus } from '../../../../server/ports/submission'

const VERDICTS: EmailStatus[] = ['sent', 'delayed', 'delivered', 'complained', 'suppressed', 'failed', 'bounced']

const receipt = fc.record({
  verdict: fc.constantFrom(...VERDICTS), reason: fc.constantFrom('', 'mailbox is full', 'mailbox does not exist'),
}).map(({ verdict, reason }): Receipt => ({ verdict, ...reason ? { reason } : {} }))

const latestReceipt = (receipts: readonly Receipt[]) => receipts.reduce<Receipt | undefined>(
  (latest, next) => isNews(next, latest) ? next : latest, undefined,
)

test('receipts end in the same one, whatever their order and however often each comes', () => {
  const orders = fc.array(receipt, { maxLength: 8 }).chain(receipts => fc.tuple(
    fc.constant(receipts), fc.shuffledSubarray(receipts, { minLength: receipts.length }), fc.array(fc.nat(7)),
  ))
  fc.assert(fc.property(orders, ([receipts, shuffled, repeats]) => {
    const repeated = repeats.flatMap(index => receipts[index] ?? [])
    const text = (latest: Receipt | undefined) => latest && receiptText(latest)
    expect(text(latestReceipt([...shuffled, ...repeated]))).toEqual(text(latestReceipt(receipts)))
  }))
})

test('what is known never goes back', () => {
  fc.assert(fc.property(receipt, receipt, (first, second) => {
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

import type { Receipt, Sent, Verdict } from '../../ports/submission'

/** By how much each tells, the least first. */
const ORDER: readonly Verdict[] = ['sent', 'delayed', 'delivered', 'complained', 'suppressed', 'failed', 'bounced']

const WORDS: Readonly<Record<Verdict, string>> = {
  sent: 'Sent', delayed: 'Delivery delayed', delivered: 'Delivered', complained: 'Marked as spam by its receiver',
  suppressed: 'Suppressed', failed: 'Failed', bounced: 'Bounced',
}

/** `Delivered`, `Bounced: mailbox does not exist`: what people read. */
export function receiptText({ verdict, reason }: Receipt): string {
  return reason ? `${WORDS[verdict]}: ${reason}` : WORDS[verdict]
}

/**
 * Whether a receipt tells more than the one that is known. A total order: whatever the order in which the receipts of
 * an email come, and however often, the same one is known in the end.
 */
export function isNews(receipt: Receipt, known: Receipt = { verdict: 'sent' }): boolean {
  const more = ORDER.indexOf(receipt.verdict) - ORDER.indexOf(known.verdict)
  return more > 0 || (more === 0 && receipt.verdict !== 'sent' && (receipt.reason ?? '') > (known.reason ?? ''))
}

/** Whether it reached its receiver. */
export function isArrived({ verdict }: Receipt): boolean {
  return verdict === 'delivered' || verdict === 'complained'
}

/** Whether it did not reach everybody to whom it was sent. */
export function isReturned({ verdict }: Receipt): boolean {
  return verdict === 'suppressed' || verdict === 'failed' || verdict === 'bounced'
}

/** Whether what was sent is known to have come back. */
export function isLost({ receipt }: Sent): boolean {
  return receipt !== undefined && isReturned(receipt)
}

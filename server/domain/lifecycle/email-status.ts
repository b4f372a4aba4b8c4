import type { SendAgainForm } from '../../ports/board'
import type { Receipt, Submission, EmailStatus } from '../../ports/submission'
import { canSendAgain, isLost, isReturned } from './record'

/** By how much each tells, the least first. */
const ORDER: readonly EmailStatus[] = ['sent', 'delayed', 'delivered', 'complained', 'suppressed', 'failed', 'bounced']

const WORDS: Readonly<Record<EmailStatus, string>> = {
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

const NOT_KEPT = 'Its form data is not kept any more, so it cannot be sent again from here.'

/** What the card's thread is told when something becomes known of an email whose form data is gone. */
export function receiptNews({ sent = [] }: Submission): string {
  return sent.flatMap(({ to, receipt }) => receipt
    ? [`Email to ${to.join(' and ')}: ${receiptText(receipt)}.${isReturned(receipt) ? ` ${NOT_KEPT}` : ''}`]
    : []).join(' ')
}

/** What became of an email that did not come back; of one that did it is told that it failed. */
export function receiptNotes({ sent = [], delivered }: Submission): string[] {
  return sent.flatMap(each => each.receipt && delivered.includes(each.delivery) && !isLost(each)
    ? [`Email: ${receiptText(each.receipt)}`]
    : [])
}

/** Null when nothing came back. */
export function sendAgainForm(submission: Submission): SendAgainForm | null {
  const email = submission.sent?.find(({ delivery }) => delivery === 'email')
  return email && canSendAgain(submission) ? { to: email.to } : null
}

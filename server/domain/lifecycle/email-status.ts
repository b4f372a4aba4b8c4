import { english, joinNames } from '../../../shared/texts'
import type { SendAgainForm } from '../../ports/board'
import type { Receipt, Submission, EmailStatus } from '../../ports/submission'
import { deliveryName } from '../deliveries/registry'
import { bouncedDelivery, isLost, isReturned } from './record'

/** Least to most conclusive. */
const ORDER: readonly EmailStatus[] = ['sent', 'delayed', 'delivered', 'complained', 'suppressed', 'failed', 'bounced']

/** Text for people, such as `Delivered` or `Bounced: mailbox does not exist`. */
export function receiptText({ verdict, reason }: Receipt, texts = english): string {
  const status = texts(`card.emailStatus.${verdict}`)
  return reason ? texts('card.emailStatus.withReason', { status, reason }) : status
}

/**
 * True if a receipt is more conclusive than the previous one. The order is total, so the result is the same even if
 * receipts arrive out of order or repeatedly.
 */
export function isNews(receipt: Receipt, previous: Receipt = { verdict: 'sent' }): boolean {
  const difference = ORDER.indexOf(receipt.verdict) - ORDER.indexOf(previous.verdict)
  return difference > 0
    || (difference === 0 && receipt.verdict !== 'sent' && (receipt.reason ?? '') > (previous.reason ?? ''))
}

/** True if the email reached its recipient. */
export function isArrived({ verdict }: Receipt): boolean {
  return verdict === 'delivered' || verdict === 'complained'
}

/** Message for the card's thread about a receipt that arrives after the form data was erased. */
export function receiptNews({ sent = [] }: Submission, texts = english): string {
  return sent.flatMap(({ delivery, to, receipt }) => receipt
    ? [
        texts('card.emailStatus.news', {
          delivery: deliveryName(delivery, texts), targets: joinNames(to, texts), status: receiptText(receipt, texts),
        }),
        ...isReturned(receipt) ? [texts('card.emailStatus.dataGone')] : [],
      ]
    : []).join(' ')
}

/** Notes about emails that did not bounce. A bounced email is shown as a failure instead. */
export function receiptNotes({ sent = [], delivered }: Submission, texts = english): string[] {
  return sent.flatMap(each => each.receipt && delivered.includes(each.delivery) && !isLost(each)
    ? [texts('card.emailStatus.note', {
        delivery: deliveryName(each.delivery, texts), status: receiptText(each.receipt, texts),
      })]
    : [])
}

/** Form for another attempt; null if no email bounced or was refused. */
export function sendAgainForm(submission: Submission): SendAgainForm | null {
  const email = bouncedDelivery(submission)
  return email ? { to: email.refused ?? email.to } : null
}

import type { SendAgainForm } from '../../ports/board'
import type { Submission } from '../../ports/submission'
import { isLost, isReturned, receiptText } from './verdicts'

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

/** Whether its email came back, so that somebody may send it again. */
export function canSendAgain({ state, data, failures, sent = [] }: Submission): boolean {
  return state === 'open' && data !== null && failures.some(({ delivery }) => delivery === 'email')
    && sent.some(each => each.delivery === 'email' && isLost(each))
}

/** Null when nothing came back. */
export function sendAgainForm(submission: Submission): SendAgainForm | null {
  const email = submission.sent?.find(({ delivery }) => delivery === 'email')
  return email && canSendAgain(submission) ? { to: email.to } : null
}

import type { Receipt, Sent, Submission, Work } from '../../ports/submission'
import type { EventOf, Refusal, Transition } from './events'
import { changed, isPending, tell, withEntry } from './record'
import { settle, settleChanged, type Clock } from './settle'
import { isArrived, isNews, isReturned, receiptText } from './verdicts'

/** What is told of one email comes in any order within seconds: form data is kept so long after it arrived, ms. */
const QUIET_MS = 60 * 1000

/** The mail provider told what became of an email: the cards say it, where that takes nothing from them. */
export function takeReceipt(current: Submission, event: EventOf<'receipt'>, clock: Clock): Transition {
  const next = receipted(current, event, clock.now)
  if ('refused' in next) return next
  if (next.data) return settleChanged(next, clock)
  const added = tellings(next, clock.leasedUntil)
  // Whatever is tried again tells the latest news, too.
  const rest = next.work.filter(({ kind, attempts }) => kind !== 'tell' || attempts === 0)
  return settle({ ...next, work: [...rest, ...added] }, added, clock)
}

/**
 * The submission with what became of one of its emails. One that came back while there is form data is a delivery that
 * failed, whatever the state: so it is opened again as soon as nothing is being delivered.
 */
function receipted(
  current: Submission, { messageId, receipt }: EventOf<'receipt'>, now: number,
): Submission | { refused: Refusal } {
  const email = current.sent?.find(each => each.messageId === messageId)
  if (!email) return { refused: 'unknown-email' }
  if (!isNews(receipt, email.receipt)) return { refused: 'no-news' }
  const next = changed(current, {
    sent: current.sent!.map((each): Sent => each === email ? { ...email, receipt } : each),
    history: withEntry(current, { at: now, event: 'receipt', receipt }),
    // Where files are linked to, it is kept for these.
    ...current.keptUntil !== undefined && current.keptUntil < current.expiresAt && isArrived(receipt)
      ? { keptUntil: Math.min(current.keptUntil, now + QUIET_MS) }
      : {},
  })
  return isReturned(receipt) && canFail(next, now) ? withFailure(next, receipt) : next
}

/** Whether there is something to send again, nobody does already, and nobody decided since that it is spam. */
function canFail({ state, data, decision, expiresAt, work }: Submission, now: number): boolean {
  const isHere = data !== null && now < expiresAt && (state === 'settled' || isPending({ state }))
  return isHere && decision?.action !== 'spam' && !work.some(({ kind }) => kind === 'email')
}

function withFailure(next: Submission, receipt: Receipt): Submission {
  const others = next.failures.filter(({ delivery }) => delivery !== 'email')
  return {
    ...next, state: next.state === 'settled' ? 'settling' : next.state, keptUntil: undefined,
    delivered: next.delivered.filter(delivery => delivery !== 'email'),
    failures: [...others, { delivery: 'email', reason: `${receiptText(receipt)}.` }],
  }
}

/** News in the threads of the cards: without form data a card is not drawn again, because it would lose what it has. */
function tellings({ state, cards, version }: Submission, dueAt: number): Work[] {
  return state === 'erased' ? [] : cards.map(card => tell(card, version, dueAt))
}

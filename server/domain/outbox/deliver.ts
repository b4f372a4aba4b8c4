import { SUBMISSION_TTL_MS } from '../../../shared/lifetimes'
import type { IsGivenUp, Outcome, Posted } from '../../ports/delivery'
import type { Form } from '../../ports/form'
import type { CardRef, Delivery, Submission, Work } from '../../ports/submission'
import type { CardQueue } from '../cards/card-queue'
import type { Context, FormFiles } from '../context'
import { deliveriesEndAt } from './backoff'
import { fromHeader } from './email'
import type { Done } from '../lifecycle/events'
import { assignedNews, cardView, copyView, reminder } from '../cards/card-view'
import { failureNews } from '../cards/delivery-notes'
import { deliveryName, formOf, rowOf, wayOf } from '../deliveries/registry'
import { contentHash, digest, isLost, isPartial } from '../lifecycle/record'
import { receiptNews } from '../lifecycle/email-status'

/**
 * Does one piece of work; cards show `submission`. Resolves with `waiting` if other work must be done first. For a card
 * that waits for its turn, resolves with the time to check again, epoch ms.
 */
export async function perform(
  work: Work, submission: Submission, context: Context, queue: CardQueue,
): Promise<Outcome<Done | undefined> | 'waiting' | number> {
  const { board } = context
  const { kind, key, attempts, room = '', hasTurn = false } = work
  const { version } = submission
  const card = work.card!
  switch (kind) {
    case 'post': {
      if (submission.state !== 'open') return 'waiting'
      const checkAt = await queue.waitsUntil(room, submission, hasTurn)
      if (checkAt !== null) return checkAt
      const posting = board.post(room, cardView(submission, context), key.split('#')[1])
      // If an earlier attempt arrived, the platform returns that older card, so it counts as version 0.
      return cardOutcome(await queue.slowRooms.timed(room, posting), attempts > 0 ? 0 : version)
    }
    case 'update': {
      const view = (card.isCopy ? copyView : cardView)(submission, context)
      return cardOutcome(await board.update(card, view), version, card)
    }
    case 'remind': return board.reply(card, reminder(submission, context))
    case 'tell': {
      const { news, names } = newsOf(work, submission, context)
      // Nothing left to announce.
      return news ? board.reply(card, news, names) : { ok: true, value: undefined }
    }
    case 'erasure': return tellErasure(submission, work.delivery ?? wayOf(kind), context)
    case 'confirm': return confirm(submission, work, context)
    default: return deliver(kind, submission, context, isLast(work, submission, context))
  }
}

/** Returns the message below a card, and the names of the person to mention. */
function newsOf(
  { isAboutFailure }: Work, submission: Submission, { texts }: Context,
): { news: string, names?: readonly string[] } {
  const { holder } = submission
  if (isAboutFailure) return { news: failureNews(submission, texts) }
  return holder
    ? { news: assignedNews(holder, texts), names: holder.names }
    : { news: receiptNews(submission, texts) }
}

/** Attempts after which another way to send is tried, 20 to 40 minutes at the default base delay. */
const ATTEMPTS_ON_FIRST_WAY = 9

/** Another way to send may be tried after some attempts, unless one of them may have arrived. */
function isLast({ attempts, mayHaveArrived }: Work, submission: Submission, context: Context): IsGivenUp {
  const { policy, runtime } = context
  const isLate = attempts + 1 >= ATTEMPTS_ON_FIRST_WAY || runtime.now() >= deliveriesEndAt(submission, policy)
  return ({ permanent, limited }) => !mayHaveArrived && (permanent || (!limited && isLate))
}

function cardOutcome(outcome: Outcome<CardRef | undefined>, version: number, card?: CardRef): Outcome<Done> {
  return outcome.ok ? { ok: true, value: { card: outcome.value ?? card, version } } : outcome
}

/** Makes one delivery of a forwarded submission; resolves with its recipients and a hash of its content. */
export async function deliver(
  delivery: Delivery, submission: Submission, context: Context, isGivenUp?: IsGivenUp,
): Promise<Outcome<Done> | 'waiting'> {
  const { data, form: key, sent = [] } = submission
  const form = formOf(submission, context)
  if (!data) return refuse('The data expired before it could be delivered.')
  if (form.missing) return refuse(
    `The form “${key}” is not in forms.config.ts (or FORMS_CONFIG) any more, so nobody knows where to send it. Put it back there.`,
  )
  const row = rowOf(delivery)
  const destination = form.destinations.find(({ id }) => id === delivery)
  if (!row || !destination) return refuse(`${deliveryName(delivery)} is not configured any more.`)
  const earlier = sent.find(each => each.delivery === delivery)
  const isRest = earlier !== undefined && isPartial(earlier, submission)
  const outcome = await row.send({
    submission, form, destination, isGivenUp, copy: () => copyView(submission, context),
    idempotencyKey: deliveryKey(submission, [...row.identity(destination, context), earlier?.at]),
    // Nobody received an email that bounced, so there is nothing to correct.
    corrected: earlier && !isLost(earlier) && !isRest ? earlier : undefined,
  }, context)
  if (outcome === 'waiting' || !outcome.ok) return outcome
  const { messageId, status, keepMs, card } = outcome.value
  const to = row.targets(destination)
  const sentDelivery = {
    delivery, content: contentHash(data), to: isRest ? [...earlier.to, ...to] : to,
    ...isRest && earlier.mayBeTwice && { mayBeTwice: true as const },
    ...messageId !== undefined && { messageId }, ...status !== undefined && { status },
  }
  return { ok: true, value: {
    sent: sentDelivery, ...card && { card }, ...status !== undefined && { status },
    ...keepMs !== undefined && { keepMs },
    // Keep the data, because links to files need it.
    ...isLinked(submission, form, context.files) && { keepMs: SUBMISSION_TTL_MS },
  } }
}

/** True if any delivery contains a link to a file. Such links must work after the delivery. */
export function isLinked({ id, envelope }: Submission, form: Form, files?: FormFiles): boolean {
  const { files: storedFiles = [] } = envelope ?? {}
  const isSomeLinked = form.destinations.some(each => rowOf(each.id)!.linksFiles(storedFiles, each))
  return isSomeLinked && typeof files?.url(id, 0) === 'string'
}

/** Notifies an endpoint that a submission was erased, because it may have received its data. */
async function tellErasure(
  { id, form: key, erased }: Submission, delivery: Delivery, { forms }: Context,
): Promise<Outcome<Posted>> {
  const row = rowOf(delivery)
  const destination = forms.of(key).destinations.find(each => each.id === delivery)
  if (!row?.tellErasure || !destination) return refuse(`${deliveryName(delivery)} is not configured any more.`)
  const event = {
    type: 'erased', timestamp: new Date(erased!.at).toISOString(), data: { submission: id, ...key && { form: key } },
  }
  return row.tellErasure(JSON.stringify(event), destination, `${id}-erased`)
}

function refuse(reason: string) {
  return { ok: false as const, reason, permanent: true }
}

/**
 * Idempotency key of a delivery. Retries and a second forward of the same data have the same key, so the receiver
 * counts them as one. Edited data, another recipient and a correction get new keys.
 */
export function deliveryKey({ id, data }: Submission, message: readonly (string | number | undefined)[]): string {
  return `${id}-${digest(JSON.stringify([data, ...message]))}`
}

/**
 * Emails the sender of a form that it was forwarded. The text comes from the form's configuration and quotes nothing
 * from the submission, so that nobody can send their own text to strangers through this service.
 */
async function confirm(
  submission: Submission, work: Work, context: Context,
): Promise<Outcome<Done> | 'waiting'> {
  const { id, form: key, confirmation } = submission
  const { mailer, mail, forms, confirmations, log } = context
  const skip = (reason: string) => {
    log.warn('confirmation.skipped', { submission: id, reason })
    return { ok: true as const, value: { skipped: reason } }
  }
  const { confirm: message } = forms.of(key)
  const to = confirmation?.to
  if (!message || !to) return skip('Its form no longer sends confirmations.')
  if (work.attempts === 0) {
    const waitMs = await confirmations.take(`confirm:${digest(mailboxOf(to))}`).catch(() => null)
    if (waitMs === null) return 'waiting'
    if (waitMs > 0) return skip(`Its sender got ${confirmations.limit} confirmations within a day.`)
  }
  const outcome = await mailer.send({
    from: fromHeader(mail), to: [to], ...message,
    // Stops vacation notices and other automatic replies (RFC 3834).
    headers: { 'Auto-Submitted': 'auto-replied' },
  }, `${id}-confirm-${digest(to)}`, isLast(work, submission, context))
  if (outcome.ok) return { ok: true, value: {} }
  // No reviewer can correct a sender's wrong address.
  return outcome.permanent ? skip(outcome.reason) : outcome
}

/** Removes differences that many providers ignore in an address: upper case, dots before the @, and a `+tag`. */
function mailboxOf(address: string): string {
  const [local = '', host = ''] = address.toLowerCase().split('@')
  return `${local.split('+')[0]!.replaceAll('.', '')}@${host}`
}

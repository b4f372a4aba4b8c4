import type { ReviewBoard } from '../../ports/board'
import type { EmailTemplate, Mailer, Outcome, Posted } from '../../ports/delivery'
import type { Limiter } from '../../ports/limiter'
import type { Log } from '../../ports/runtime'
import type { CardRef, Delivery, Submission, Work } from '../../ports/submission'
import type { CardQueue } from '../cards/card-queue'
import { composeEmail, type MailSender, fromHeader, isLinked, mailed, withFiles } from './email'
import type { Done } from '../lifecycle/events'
import {
  assignedNews, type Presentation, cardView, DELIVERY_NAMES, formOf, reminder, targetsOf,
} from '../cards/card-view'
import { contentHash, digest, SUBMISSION_TTL_MS, isLost } from '../lifecycle/record'
import type { SubmissionFiles } from '../files/submission-files'
import { receiptNews } from '../lifecycle/email-status'

export interface DeliveryPorts {
  mailer: Mailer
  template: () => Promise<EmailTemplate>
  mail: MailSender
  /** Files that came with forms; absent in tests without files. */
  files?: SubmissionFiles
  presentation: Presentation
}

export interface WorkPorts extends DeliveryPorts, ConfirmationPorts {
  board: ReviewBoard
  queue: CardQueue
}

type DeliveryResult = Pick<Done, 'sent' | 'status' | 'keepMs'>

/**
 * Does one piece of work. Cards show `submission`. Resolves with `waiting` if something else has to happen first, or,
 * for a card that waits for its turn, with the time to check on it again, epoch ms.
 */
export async function perform(
  work: Work, submission: Submission, ports: WorkPorts,
): Promise<Outcome<Done | undefined> | 'waiting' | number> {
  const { board, queue, presentation } = ports
  const { kind, key, attempts, room = '', hasTurn = false } = work
  const { holder, version } = submission
  const card = work.card!
  switch (kind) {
    case 'post': {
      if (submission.state !== 'open') return 'waiting'
      const checkAt = await queue.waitsUntil(room, submission, hasTurn)
      if (checkAt !== null) return checkAt
      const posting = board.post(room, cardView(submission, presentation), key.split('#')[1])
      // An earlier attempt may have arrived after all; then the platform answers with that older card.
      return cardOutcome(await queue.slowRooms.timed(room, posting), attempts > 0 ? 0 : version)
    }
    case 'update': return cardOutcome(await board.update(card, cardView(submission, presentation)), version, card)
    case 'remind': return board.reply(card, reminder(submission, presentation))
    case 'tell': {
      const news = holder ? assignedNews(holder, presentation.texts) : receiptNews(submission, presentation.texts)
      // Nothing left to announce.
      return news ? board.reply(card, news, holder?.names) : { ok: true, value: undefined }
    }
    case 'erasure': return tellErasure(submission, ports)
    case 'confirm': return confirm(submission, work, ports)
    case 'email':
    case 'endpoint': return deliver(kind, submission, ports)
  }
}

function cardOutcome(outcome: Outcome<CardRef | undefined>, version: number, card?: CardRef): Outcome<Done> {
  return outcome.ok ? { ok: true, value: { card: outcome.value ?? card, version } } : outcome
}

/** Makes one delivery of a forwarded submission; resolves with its recipients and a hash of its content. */
export async function deliver(
  kind: Delivery, submission: Submission, { mailer, template, mail, files, presentation }: DeliveryPorts,
): Promise<Outcome<DeliveryResult> | 'waiting'> {
  const { data, form: key, sent = [] } = submission
  const form = formOf(submission, presentation)
  if (!data) return refuse('The data expired before it could be delivered.')
  if (form.missing) return refuse(
    `The form “${key}” is not in forms.config.ts (or FORMS_CONFIG) any more, so nobody knows where to send it. Put it back there.`,
  )
  const to = targetsOf(kind, form)
  if (to.length === 0) return refuse(`${DELIVERY_NAMES[kind]} is not configured any more.`)
  const earlierDelivery = sent.find(each => each.delivery === kind)
  const sentDelivery = { delivery: kind, content: contentHash(data), to }
  // A link works as long as the data is kept.
  const linkLifetime = isLinked(submission, form, files) ? { keepMs: SUBMISSION_TTL_MS } : {}
  if (kind === 'endpoint') {
    const idempotencyKey = deliveryKey(submission, [form.endpoint!.url, earlierDelivery?.at])
    const outcome = await form.endpoint!.post(JSON.stringify(withFiles(submission, files)), idempotencyKey)
    return outcome.ok ? { ok: true, value: { sent: sentDelivery, ...outcome.value, ...linkLifetime } } : outcome
  }
  // Nobody received an email that bounced, so there is nothing to correct.
  const correctedDelivery = earlierDelivery && !isLost(earlierDelivery) ? earlierDelivery : undefined
  const outcome = await mailer.send(
    await composeEmail(await mailed(submission, files), form, mail, template, {
      correctedEmail: correctedDelivery, files, texts: presentation.texts,
    }),
    deliveryKey(submission, [mail.fromAddress, mail.fromName, ...to, earlierDelivery?.at]),
  )
  if (!outcome.ok) return outcome.busy ? 'waiting' : outcome
  const messageId = outcome.value
  if (messageId === undefined) return { ok: true, value: { sent: sentDelivery, ...linkLifetime } }
  return { ok: true, value: { sent: { ...sentDelivery, messageId }, keepMs: mail.receipts?.waitMs, ...linkLifetime } }
}

/** Tells the endpoint that a submission was erased, because it may have received data of it. */
async function tellErasure(
  submission: Submission, { presentation }: Pick<DeliveryPorts, 'presentation'>,
): Promise<Outcome<Posted>> {
  const { id, form, erased } = submission
  const { endpoint } = formOf(submission, presentation)
  if (!endpoint) return refuse(`${DELIVERY_NAMES.endpoint} is not configured any more.`)
  const event = {
    type: 'erased', timestamp: new Date(erased!.at).toISOString(), data: { submission: id, ...form && { form } },
  }
  return endpoint.post(JSON.stringify(event), `${id}-erased`)
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

interface ConfirmationPorts {
  mailer: Mailer
  mail: MailSender
  presentation: Presentation
  /** Counts confirmations for each address. */
  confirmations: Limiter
  log: Log
}

/**
 * Tells the sender of a form that it was passed on. The text comes from the form's configuration and quotes nothing of
 * the submission, so that nobody can use this service to send their own words to others.
 */
async function confirm(
  { id, form: key, confirmation }: Submission, { attempts }: Work,
  { mailer, mail, presentation, confirmations, log }: ConfirmationPorts,
): Promise<Outcome<Pick<Done, 'skipped'>> | 'waiting'> {
  const skip = (reason: string) => {
    log.warn('confirmation.skipped', { submission: id, reason })
    return { ok: true as const, value: { skipped: reason } }
  }
  const { confirm: message } = presentation.forms.of(key)
  const to = confirmation?.to
  if (!message || !to) return skip('Its form confirms nothing any more.')
  if (attempts === 0) {
    const waitMs = await confirmations.take(`confirm:${digest(mailboxOf(to))}`).catch(() => null)
    if (waitMs === null) return 'waiting'
    if (waitMs > 0) return skip(`Its sender got ${confirmations.limit} confirmations within a day.`)
  }
  const outcome = await mailer.send({
    from: fromHeader(mail), to: [to], ...message,
    // Stops vacation notices and other automatic replies (RFC 3834).
    headers: { 'Auto-Submitted': 'auto-replied' },
  }, `${id}-confirm-${digest(to)}`)
  if (outcome.ok) return { ok: true, value: {} }
  // Nobody can fix the wrong address of a stranger.
  return outcome.permanent ? skip(outcome.reason) : outcome
}

/** Removes differences that many providers ignore in an address: upper case, dots before the @, and a `+tag`. */
function mailboxOf(address: string): string {
  const [local = '', host = ''] = address.toLowerCase().split('@')
  return `${local.split('+')[0]!.replaceAll('.', '')}@${host}`
}

import { z } from 'zod'
import { DELIVERY_TEXTS } from '../../../shared/deliveries'
import { email as address } from '../../variable'
import { MOST_ADDRESSES } from '../fields/addresses'
import type { Outcome } from '../../ports/delivery'
import type { Destination, Form } from '../../ports/form'
import type { Submission } from '../../ports/submission'
import { composeEmail, fittingOf, mailed } from '../outbox/email'
import { isDefault, type DeliveryRow } from './delivery'

/** Addresses of one email: one or several. */
export const addresses = z.union(
  [address.transform(one => [one]), z.array(address)], 'must be an email address or a list of them',
).refine(to => to.length > 0, 'must have an address').refine(
  to => to.length <= MOST_ADDRESSES,
  `must have at most ${MOST_ADDRESSES} addresses, because Resend takes no more for one email`,
)

const settings = {
  to: addresses,
  cc: addresses.optional(),
  bcc: addresses.optional(),
  /** True to send one email to each address of `to`, so that they do not see each other. */
  separate: z.boolean('must be true or false').optional(),
}

/** Email to the addresses of a destination, or to addresses that the reviewer entered instead */
export const emailDelivery: DeliveryRow<'email', typeof settings> = {
  key: 'email', ...DELIVERY_TEXTS.email, copyName: 'The email',
  carries: ['confirm'], hasAddresses: true, reportsStatus: true, isShared: true,
  // Resend takes two requests a second: https://resend.com/docs/api-reference/rate-limit
  intervalMs: 500,
  settings,
  nameOf: ({ to }) => to[0]!,
  open: ({ to, cc, bcc, separate }) => (separate ? to.map(one => [one]) : [to]).map(each => ({ to: each, cc, bcc })),
  targets: ({ to = [], cc = [], bcc = [] }) => [...to, ...cc, ...bcc],
  // A fallback takes emails that have failed several times: none may wait in line.
  receiverOf: (_, { mail }) => mail.fallback ? null : 'email',
  linksFiles: files => fittingOf(files).length < files.length,
  identity: ({ id, to = [], cc = [], bcc = [] }, { mail }) => [
    mail.fromAddress, mail.fromName, ...to, ...isDefault(id) ? [] : [id, 'cc', ...cc, 'bcc', ...bcc],
  ],
  async send({ submission, form, destination, idempotencyKey, corrected, isGivenUp }, context) {
    const { mailer, template, mail, files, texts } = context
    const message = await composeEmail(await mailed(submission, files), form, mail, template, {
      correctedEmail: corrected, files, texts,
      repetition: isFirst(submission, form, destination) ? undefined : idempotencyKey,
    })
    const { to = [], cc, bcc } = destination
    const outcome = await mailer.send(
      { ...message, to, ...cc && { cc }, ...bcc && { bcc } }, idempotencyKey, isGivenUp,
    )
    if (!outcome.ok) return outcome.busy ? 'waiting' : named(outcome)
    const messageId = outcome.value
    return { ok: true, value: messageId === undefined ? {} : { messageId, keepMs: mail.receipts?.waitMs } }
  },
}

/** Names the refused recipients, who are from the configuration or chosen by a reviewer. */
function named(outcome: Outcome & { ok: false }) {
  const { refused = [], reason } = outcome
  return refused.length > 0 ? { ...outcome, reason: `${reason} Refused: ${refused.join(', ')}.` } : outcome
}

/** True for the first email of a submission. An earlier email counts even if it failed: it may have arrived. */
function isFirst({ sent = [], history }: Submission, { destinations }: Form, { id }: Destination): boolean {
  const isOfFirst = destinations.find(({ to }) => to)?.id === id
  return isOfFirst && !sent.some(({ delivery }) => delivery === id)
    && !history.some(({ event }) => event === 'reopened')
}

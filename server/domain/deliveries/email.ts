import { z } from 'zod'
import { DELIVERY_TEXTS } from '../../../shared/deliveries'
import { email as address } from '../../variable'
import { MOST_ADDRESSES } from '../fields/addresses'
import type { Outcome } from '../../ports/delivery'
import type { Submission } from '../../ports/submission'
import { composeEmail, fittingOf, mailed } from '../outbox/email'
import type { DeliveryRow } from './delivery'

const settings = {
  /** One address or several; FORWARD_EMAIL if absent. */
  to: z.union([address.transform(one => [one]), z.array(address)], 'must be an email address or a list of them')
    .refine(to => to.length > 0, 'must have an address')
    .refine(
      to => to.length <= MOST_ADDRESSES,
      `must have at most ${MOST_ADDRESSES} addresses, because Resend takes no more for one email`,
    ).optional(),
}

/** Email to the addresses of the form, or to addresses that the reviewer entered instead */
export const emailDelivery: DeliveryRow<typeof settings> = {
  key: 'email', ...DELIVERY_TEXTS.email, copyName: 'The email',
  carries: ['confirm'], hasAddresses: true, reportsStatus: true,
  settings,
  open: ({ to }, standard) => ({ to: to ?? standard.to }),
  isWanted: ({ to }) => to.length > 0,
  targets: ({ to }) => to,
  linksFiles: files => fittingOf(files).length < files.length,
  identity: ({ to }, { mail }) => [mail.fromAddress, mail.fromName, ...to],
  async send({ submission, form, idempotencyKey, corrected, isGivenUp }, { mailer, template, mail, files, texts }) {
    const message = await composeEmail(await mailed(submission, files), form, mail, template, {
      correctedEmail: corrected, repetition: isFirst(submission) ? undefined : idempotencyKey, files, texts,
    })
    const outcome = await mailer.send(message, idempotencyKey, isGivenUp)
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
function isFirst({ sent = [], history }: Submission): boolean {
  return !sent.some(({ delivery }) => delivery === emailDelivery.key) && !history.some(
    ({ event }) => event === 'reopened',
  )
}

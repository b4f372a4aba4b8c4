import type { Mailer, Outcome } from '../../ports/delivery'
import type { Limiter } from '../../ports/limiter'
import type { Log } from '../../ports/runtime'
import type { Submission, Work } from '../../ports/submission'
import { senderOf, type MailSender } from './email'
import type { Done } from './events'
import type { Presentation } from './present'
import { digest } from './record'

export interface ConfirmationPorts {
  mailer: Mailer
  mail: MailSender
  presentation: Presentation
  /** Counts what one address gets. */
  confirmations: Limiter
  log: Log
}

/**
 * Tells whoever sent a form that it was passed on: with words of the form's configuration, and nothing that came with
 * the submission, so that nobody can have this service write to others what they like.
 */
export async function confirm(
  { id, form: key, confirmation }: Submission, { attempts }: Work,
  { mailer, mail, presentation, confirmations, log }: ConfirmationPorts,
): Promise<Outcome<Pick<Done, 'skipped'>> | 'waiting'> {
  const skipped = (reason: string) => {
    log.warn('confirmation.skipped', { submission: id, reason })
    return { ok: true as const, value: { skipped: reason } }
  }
  const { confirm: words } = presentation.forms.of(key)
  const to = confirmation?.to
  if (!words || !to) return skipped('Its form confirms nothing any more.')
  if (attempts === 0) {
    const waitMs = await confirmations.take(`confirm:${digest(mailboxOf(to))}`).catch(() => null)
    if (waitMs === null) return 'waiting'
    if (waitMs > 0) return skipped(`Its sender got ${confirmations.limit} confirmations within a day.`)
  }
  const outcome = await mailer.send({
    from: senderOf(mail), to: [to], ...words,
    // No vacation notice answers it, nor any other program (RFC 3834).
    headers: { 'Auto-Submitted': 'auto-replied' },
  }, `${id}-confirm-${digest(to)}`)
  if (outcome.ok) return { ok: true, value: {} }
  // Nobody can do anything about what is wrong with the address of a stranger.
  return outcome.permanent ? skipped(outcome.reason) : outcome
}

/** Counts as one what many providers deliver to one mailbox: any case, with dots or without, with `+tag` or without. */
function mailboxOf(address: string): string {
  const [local = '', host = ''] = address.toLowerCase().split('@')
  return `${local.split('+')[0]!.replaceAll('.', '')}@${host}`
}

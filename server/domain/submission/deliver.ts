import { createHash } from 'node:crypto'
import type { Mailer, Outcome } from '../../ports/delivery'
import type { Delivery, Submission } from '../../ports/submission'
import { composeEmail, type EmailTemplate, type MailSender } from './email'
import type { Presentation } from './present'

export interface DeliveryPorts {
  mailer: Mailer
  template: () => Promise<EmailTemplate>
  mail: MailSender
  presentation: Presentation
}

/** Sends what a reviewer forwarded on one of its ways. */
export async function deliver(kind: Delivery, submission: Submission, { mailer, template, mail, presentation }: DeliveryPorts): Promise<Outcome> {
  if (!submission.data) return dataGone
  const form = presentation.forms.of(submission.form)
  if (kind === 'email') return mailer.send(await composeEmail(submission, form, mail, template), deliveryKey(submission))
  return form.endpoint ? form.endpoint.post(JSON.stringify(submission.data), deliveryKey(submission)) : { ok: true, value: undefined }
}

const dataGone: Outcome = { ok: false, reason: 'The data expired before it could be delivered.', permanent: true }

/**
 * One key per submission and content: retries and a second forward of the same data are one delivery to the
 * receiver, a forward of edited data is a new one.
 */
export function deliveryKey(submission: Submission): string {
  return `${submission.id}-${createHash('sha256').update(JSON.stringify(submission.data)).digest('hex').slice(0, 16)}`
}

import type { Mailer, Outcome } from '../../ports/delivery'
import type { Delivery, Sent, Submission } from '../../ports/submission'
import { contentOf, digest } from './record'
import { composeEmail, type EmailTemplate, type MailSender } from './email'
import { type Presentation, DELIVERY_NAMES, targetsOf } from './present'

export interface DeliveryPorts {
  mailer: Mailer
  template: () => Promise<EmailTemplate>
  mail: MailSender
  presentation: Presentation
}

/** Sends what a reviewer forwarded on one of its ways; resolves with what was sent where. */
export async function deliver(
  kind: Delivery, submission: Submission, { mailer, template, mail, presentation }: DeliveryPorts,
): Promise<Outcome<Pick<Sent, 'content' | 'to'>>> {
  const { data, form: key, sent = [] } = submission
  const form = presentation.forms.of(key)
  if (!data) return refused('The data expired before it could be delivered.')
  if (form.missing) return refused(
    `The form “${key}” is not in forms.config.ts (or FORMS_CONFIG) any more, so nobody knows where to send it. Put it back there.`,
  )
  const to = targetsOf(kind, form)
  if (to.length === 0) return refused(`${DELIVERY_NAMES[kind]} is not configured any more.`)
  const earlier = sent.find(each => each.delivery === kind)
  const outcome = kind === 'email'
    ? await mailer.send(
        await composeEmail(submission, form, mail, template, earlier),
        deliveryKey(submission, [mail.fromAddress, mail.fromName, ...to, earlier?.at]),
      )
    : await form.endpoint!.post(JSON.stringify(data), deliveryKey(submission, [form.endpoint!.url, earlier?.at]))
  return outcome.ok ? { ok: true, value: { content: contentOf(data), to } } : outcome
}

function refused(reason: string) {
  return { ok: false as const, reason, permanent: true }
}

/**
 * One key per submission, content and whatever else makes it another message: retries and a second forward of the same
 * data are one delivery to the receiver; edited data, another recipient and a correction are new ones.
 */
export function deliveryKey({ id, data }: Submission, message: readonly (string | number | undefined)[]): string {
  return `${id}-${digest(JSON.stringify([data, ...message]))}`
}

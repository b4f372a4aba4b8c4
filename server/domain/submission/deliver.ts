import type { EmailTemplate, Mailer, Outcome, Posted } from '../../ports/delivery'
import type { Delivery, Submission } from '../../ports/submission'
import { contentOf, digest } from './record'
import { composeEmail, type MailSender } from './email'
import { isLinked, mailed, withFiles } from './mailed-files'
import type { Done } from './events'
import { type Presentation, DELIVERY_NAMES, formOf, targetsOf } from './present'
import { SUBMISSION_TTL_MS } from './store-rules'
import type { SubmissionFiles } from './submission-files'
import { isLost } from './verdicts'

export interface DeliveryPorts {
  mailer: Mailer
  template: () => Promise<EmailTemplate>
  mail: MailSender
  /** Files that came with forms; none in tests without them. */
  files?: Pick<SubmissionFiles, 'read' | 'url' | 'withLost'>
  presentation: Presentation
}

type Delivered = Pick<Done, 'sent' | 'status' | 'keepMs'>

/** Sends what a reviewer forwarded on one of its ways; resolves with what was sent where. */
export async function deliver(
  kind: Delivery, submission: Submission, { mailer, template, mail, files, presentation }: DeliveryPorts,
): Promise<Outcome<Delivered> | 'waiting'> {
  const { data, form: key, sent = [] } = submission
  const form = formOf(submission, presentation)
  if (!data) return refused('The data expired before it could be delivered.')
  if (form.missing) return refused(
    `The form “${key}” is not in forms.config.ts (or FORMS_CONFIG) any more, so nobody knows where to send it. Put it back there.`,
  )
  const to = targetsOf(kind, form)
  if (to.length === 0) return refused(`${DELIVERY_NAMES[kind]} is not configured any more.`)
  const earlier = sent.find(each => each.delivery === kind)
  const given = { delivery: kind, content: contentOf(data), to }
  // A link works as long as the data is kept.
  const linked = isLinked(submission, form, files) ? { keepMs: SUBMISSION_TTL_MS } : {}
  if (kind === 'endpoint') {
    const key = deliveryKey(submission, [form.endpoint!.url, earlier?.at])
    const outcome = await form.endpoint!.post(JSON.stringify(withFiles(submission, files)), key)
    return outcome.ok ? { ok: true, value: { sent: given, ...outcome.value, ...linked } } : outcome
  }
  // Nobody has what came back, so there is nothing to correct.
  const corrected = earlier && !isLost(earlier) ? earlier : undefined
  const outcome = await mailer.send(
    await composeEmail(await mailed(submission, files), form, mail, template, corrected, files),
    deliveryKey(submission, [mail.fromAddress, mail.fromName, ...to, earlier?.at]),
  )
  if (!outcome.ok) return outcome.busy ? 'waiting' : outcome
  const messageId = outcome.value
  if (messageId === undefined) return { ok: true, value: { sent: given, ...linked } }
  return { ok: true, value: { sent: { ...given, messageId }, keepMs: mail.receipts?.waitMs, ...linked } }
}

/** Tells the endpoint that everything was erased of a submission of which it may have something. */
export async function tellErasure(
  submission: Submission, { presentation }: Pick<DeliveryPorts, 'presentation'>,
): Promise<Outcome<Posted>> {
  const { id, form, erased } = submission
  const { endpoint } = formOf(submission, presentation)
  if (!endpoint) return refused(`${DELIVERY_NAMES.endpoint} is not configured any more.`)
  const event = {
    type: 'erased', timestamp: new Date(erased!.at).toISOString(), data: { submission: id, ...form && { form } },
  }
  return endpoint.post(JSON.stringify(event), `${id}-erased`)
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

import { z } from 'zod'
import type { MailNotice, MailNotices } from '../../ports/delivery'
import type { Receipt, EmailStatus } from '../../ports/submission'
import { cut, visible } from '../../../shared/utils/text'
import { SUBMISSION_TAG } from './resend'

/** Email status by Resend's event type: https://resend.com/docs/webhooks/event-types */
const VERDICTS: ReadonlyMap<string, EmailStatus> = new Map([
  ['email.sent', 'sent'], ['email.delivery_delayed', 'delayed'], ['email.delivered', 'delivered'],
  ['email.complained', 'complained'], ['email.suppressed', 'suppressed'], ['email.failed', 'failed'],
  ['email.bounced', 'bounced'],
])

/** Reasons by Resend's bounce subtype: https://resend.com/docs/dashboard/emails/email-bounces */
const BOUNCES = new Map([
  ['NoEmail', 'mailbox does not exist'], ['MailboxFull', 'mailbox is full'],
  ['MessageTooLarge', 'message is too large'],
  ['ContentRejected', 'content was rejected'], ['AttachmentRejected', 'attachment was rejected'],
  ['Suppressed', 'address is on a suppression list'], ['OnAccountSuppressionList', 'address is on a suppression list'],
])

/** Max length of a reason, characters. The reason must fit on a card beside the form. */
const LONGEST_REASON = 200

const optionalText = z.string().optional().catch(undefined)

const eventSchema = z.object({
  type: z.string(),
  data: z.object({
    email_id: z.string().min(1).max(100),
    tags: z.object({ [SUBMISSION_TAG]: z.string().min(1).max(256) }),
    bounce: z.object({ message: optionalText, subType: optionalText }).optional().catch(undefined),
    failed: z.object({ reason: optionalText }).optional().catch(undefined),
    suppressed: z.object({ message: optionalText }).optional().catch(undefined),
  }),
})

/** Reads Resend's webhooks. They are signed as https://www.standardwebhooks.com says, but with Svix's header names. */
export function createResendNotices(secret: string): MailNotices {
  let webhook: Promise<Verifier> | undefined
  return {
    async read(body, header) {
      webhook ??= import('standardwebhooks').then(({ Webhook }) => new Webhook(secret))
      return isSigned(await webhook, body, header) ? readNotice(body) : 'forged'
    },
  }
}

interface Verifier {
  verify(body: string, headers: Record<string, string>, options: { jsonParse: boolean }): unknown
}

/** True if the signature is right, compared in constant time, and its timestamp is within 5 minutes of now. */
function isSigned(webhook: Verifier, body: string, header: (name: string) => string | undefined): boolean {
  const headers = Object.fromEntries(
    ['id', 'timestamp', 'signature'].map(name => [`webhook-${name}`, header(`svix-${name}`) ?? '']),
  )
  try {
    webhook.verify(body, headers, { jsonParse: false })
    return true
  }
  catch {
    return false
  }
}

function readNotice(body: string): MailNotice {
  const { data: notification } = eventSchema.safeParse(parse(body))
  const verdict = notification && VERDICTS.get(notification.type)
  if (!notification || !verdict) return 'foreign'
  const { email_id: messageId, tags, ...details } = notification.data
  return { submission: tags[SUBMISSION_TAG], messageId, receipt: receiptOf(verdict, details) }
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body)
  }
  catch {
    return undefined
  }
}

type Details = Pick<z.infer<typeof eventSchema>['data'], 'bounce' | 'failed' | 'suppressed'>

function receiptOf(verdict: EmailStatus, { bounce, failed, suppressed }: Details): Receipt {
  const text = verdict === 'bounced'
    ? BOUNCES.get(bounce?.subType ?? '') ?? bounce?.message
    : verdict === 'failed' ? failed?.reason : verdict === 'suppressed' ? suppressed?.message : undefined
  const reason = text && cleanLine(text)
  return { verdict, ...reason ? { reason } : {} }
}

/** Returns the text as one line with hidden characters made visible, cut to fit on a card. */
function cleanLine(text: string): string {
  const joined = text.slice(0, 4 * LONGEST_REASON).toWellFormed().replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
  return cut(visible(joined.trim().replace(/ ?\.$/, '')), LONGEST_REASON)
}

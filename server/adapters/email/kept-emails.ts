import type { SentEmail } from '../../../shared/types/sandbox'
import type { Mailer } from '../../ports/delivery'

/** Max emails kept: enough to look through. The sandbox is not an archive. */
const MAX_EMAILS = 50

/**
 * Keeps emails in memory instead of sending them, for the sandbox.
 *
 * @param onChange called after every new email
 */
export function createOutboxMailer(onChange?: () => void): Mailer & { sent: readonly SentEmail[] } {
  const sentEmails: SentEmail[] = []
  return {
    sent: sentEmails,
    async send(email, key) {
      if (!sentEmails.some(earlier => earlier.key === key)) {
        const attachments = email.attachments?.map(({ content, ...file }) => (
          { ...file, content: typeof content === 'string' ? content : `${content.size} bytes` }
        ))
        sentEmails.push({ ...email, ...attachments && { attachments }, key, sentAt: Date.now() })
        sentEmails.splice(0, sentEmails.length - MAX_EMAILS)
        onChange?.()
      }
      return { ok: true, value: undefined }
    },
  }
}

import type { SentEmail } from '../../../shared/types/sandbox'
import type { Mailer } from '../../ports/delivery'

/** Most emails kept: enough to look through. The sandbox is not an archive. */
const MAX_EMAILS = 50

/**
 * Keeps emails in memory instead of sending them, for the sandbox.
 *
 * @param onChange called after every new email
 */
export function createOutboxMailer(onChange?: () => void): Mailer & { sent: readonly SentEmail[] } {
  const sent: SentEmail[] = []
  return {
    sent,
    async send(email, key) {
      if (!sent.some(earlier => earlier.key === key)) {
        const attachments = email.attachments?.map(({ content, ...file }) => (
          { ...file, content: typeof content === 'string' ? content : `${content.size} bytes` }
        ))
        sent.push({ ...email, ...attachments && { attachments }, key, sentAt: Date.now() })
        sent.splice(0, sent.length - MAX_EMAILS)
        onChange?.()
      }
      return { ok: true, value: undefined }
    },
  }
}

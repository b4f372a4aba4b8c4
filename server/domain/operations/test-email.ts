import type { TestEmailReceipt, TestEmailSent } from '../../../shared/types/setup'
import { english } from '../../../shared/texts'
import type { TestReceipts } from '../../ports/delivery'
import type { Limiter } from '../../ports/limiter'
import type { Receipt } from '../../ports/submission'
import type { Context } from '../context'
import { EmailRefused, TooManyTests } from '../errors'
import { orUnavailable } from '../queries/rows'
import { fromHeader } from '../outbox/email'
import { noteOf } from './monitor'
import { isReturned } from '../lifecycle/record'
import { emailDelivery } from '../deliveries/email'
import { isArrived, isNews, receiptText } from '../lifecycle/email-status'

/** Replaces the submission id in test emails. */
export const TEST_EMAIL = 'test-email'

/** Sends a test email, to check that emails are sent and that the provider reports their status. */
export class TestEmail {
  constructor(
    private readonly context: Context, private readonly receipts: TestReceipts, private readonly limiter: Limiter,
  ) {}

  /** @throws EmailRefused, TooManyTests, StoreUnavailable while test emails cannot be counted */
  async send(): Promise<TestEmailSent> {
    const { mailer, mail, texts = english, runtime, monitor } = this.context
    if (!mail.carrier) {
      throw new EmailRefused('Emails are kept here and go nowhere: set SMTP_URL or MAIL_API_KEY, and restart.')
    }
    const waitMs = await orUnavailable(this.limiter.take(TEST_EMAIL))
    if (waitMs > 0) throw new TooManyTests('test emails', this.limiter.limit, waitMs)
    const text = texts('email.test.text')
    const outcome = await mailer.send({
      from: fromHeader(mail), to: mail.to, subject: texts('email.test.subject'), html: `<p>${text}</p>`, text,
      ...mail.receipts ? { submission: TEST_EMAIL } : {},
    }, `${TEST_EMAIL}-${runtime.uuid()}`)
    monitor.probed(noteOf({ kind: emailDelivery.key }), outcome)
    // The recipients are from the configuration, so the server's answer may be quoted.
    if (!outcome.ok) {
      const { reason, answer } = outcome
      throw new EmailRefused(answer ? `${reason} It said: ${answer}` : reason)
    }
    const { said } = outcome
    return {
      to: mail.to.join(', '), messageId: mail.receipts ? outcome.value ?? null : null,
      ...said && { said }, ...mail.carrier === 'SMTP server' && { hasNoReceipts: true },
    }
  }

  /** Records the status of a test email. @throws StoreUnavailable */
  async told(messageId: string, receipt: Receipt): Promise<void> {
    const recordedReceipt = await orUnavailable(this.receipts.of(messageId))
    if (isNews(receipt, recordedReceipt ?? undefined)) await orUnavailable(this.receipts.keep(messageId, receipt))
  }

  /** @throws StoreUnavailable */
  async read(messageId: string): Promise<TestEmailReceipt> {
    const receipt = await orUnavailable(this.receipts.of(messageId))
    return {
      arrived: receipt !== null && isArrived(receipt), returned: receipt !== null && isReturned(receipt),
      text: receipt && receiptText(receipt),
    }
  }
}

import type { MailEvent, MailNotices } from '../../ports/delivery'
import type { Submission } from '../../ports/submission'
import type { Context } from '../context'
import { ReceiptTooEarly } from '../errors'
import type { Outbox } from './outbox'
import { TEST_EMAIL, type TestEmail } from '../operations/test-email'
import { orUnavailable } from '../queries/rows'
import { rowOf } from '../deliveries/registry'

/** Records the status of emails that the mail provider reports. */
export class Receipts {
  constructor(
    private readonly context: Context, private readonly outbox: Outbox, private readonly notices: MailNotices,
    private readonly testEmail: TestEmail,
  ) {}

  /**
   * @returns true if the webhook has a recent signature of the provider; otherwise nothing changes
   * @throws StoreUnavailable, ReceiptTooEarly if the provider must send the webhook again
   */
  async take(...request: Parameters<MailNotices['read']>): Promise<boolean> {
    const { monitor } = this.context
    const notice = await this.notices.read(...request)
    if (notice === 'forged') return false
    if (notice === 'foreign') monitor.toldForeign()
    else await this.recordNotice(notice)
    return true
  }

  private async recordNotice({ submission: id, messageId, receipt }: MailEvent): Promise<void> {
    const { store, runtime, monitor, log } = this.context
    if (id === TEST_EMAIL) {
      await this.testEmail.told(messageId, receipt)
      return monitor.told(receipt.verdict, true)
    }
    const submission = await orUnavailable(store.get(id))
    if (submission && !isSent(submission, messageId) && isBeingSent(submission)) throw new ReceiptTooEarly()
    if (!submission || !isSent(submission, messageId)) return monitor.toldForeign()
    const result = await orUnavailable(this.outbox.apply(id, [{ type: 'receipt', messageId, receipt }], submission))
    const isNews = !('refused' in result)
    monitor.told(receipt.verdict, isNews)
    if (!isNews) return
    log.info('email.receipt', { submission: id, verdict: receipt.verdict })
    runtime.background(this.outbox.run(result.submission, result.added))
  }
}

function isSent({ sent = [] }: Submission, messageId: string): boolean {
  return sent.some(each => each.messageId === messageId)
}

/** True while the email is being sent: the provider's message id is not stored yet. */
function isBeingSent({ work }: Submission): boolean {
  return work.some(({ kind }) => rowOf(kind)?.reportsStatus)
}

import type { Monitor } from '../../ports/monitor'
import type { MailEvent, MailNotices } from '../../ports/delivery'
import type { Log, Runtime } from '../../ports/runtime'
import type { SubmissionStore } from '../../ports/store'
import type { Submission } from '../../ports/submission'
import { ReceiptTooEarly } from '../errors'
import type { Outbox } from './outbox'
import { TEST_EMAIL, type TestEmail } from '../operations/test-email'
import { orUnavailable } from '../queries/rows'
import { rowOf } from '../deliveries/registry'

export interface ReceiptsPorts {
  notices: MailNotices
  testEmail: TestEmail
  store: SubmissionStore
  outbox: Outbox
  runtime: Runtime
  monitor: Monitor
  log: Log
}

/** Records the status of emails that the mail provider reports. */
export class Receipts {
  constructor(private readonly ports: ReceiptsPorts) {}

  /**
   * @returns true if the provider signed it recently; otherwise nothing changes
   * @throws StoreUnavailable, ReceiptTooEarly when the provider has to send it again
   */
  async take(...request: Parameters<MailNotices['read']>): Promise<boolean> {
    const { notices, monitor } = this.ports
    const notice = await notices.read(...request)
    if (notice === 'forged') return false
    if (notice === 'foreign') monitor.toldForeign()
    else await this.recordNotice(notice)
    return true
  }

  private async recordNotice({ submission: id, messageId, receipt }: MailEvent): Promise<void> {
    const { testEmail, store, outbox, runtime, monitor, log } = this.ports
    if (id === TEST_EMAIL) {
      await testEmail.told(messageId, receipt)
      return monitor.told(receipt.verdict, true)
    }
    const submission = await orUnavailable(store.get(id))
    if (submission && !isSent(submission, messageId) && isBeingSent(submission)) throw new ReceiptTooEarly()
    if (!submission || !isSent(submission, messageId)) return monitor.toldForeign()
    const result = await orUnavailable(outbox.apply(id, [{ type: 'receipt', messageId, receipt }], submission))
    const isNews = !('refused' in result)
    monitor.told(receipt.verdict, isNews)
    if (!isNews) return
    log.info('email.receipt', { submission: id, verdict: receipt.verdict })
    runtime.background(outbox.run(result.submission, result.added))
  }
}

function isSent({ sent = [] }: Submission, messageId: string): boolean {
  return sent.some(each => each.messageId === messageId)
}

/** True while the email is being sent: the provider's message id is not stored yet. */
function isBeingSent({ work }: Submission): boolean {
  return work.some(({ kind }) => rowOf(kind)?.reportsStatus)
}

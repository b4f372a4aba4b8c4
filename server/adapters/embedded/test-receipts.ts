import type { TestReceipts } from '../../ports/delivery'
import type { Receipt } from '../../ports/submission'

/** Max receipts kept. Test emails are few, and only the latest ones matter. */
const MAX_RECEIPTS = 100

export function createEmbeddedTestReceipts(): TestReceipts {
  const receipts = new Map<string, Receipt>()
  return {
    async keep(messageId, receipt) {
      receipts.delete(messageId)
      receipts.set(messageId, receipt)
      for (const oldest of receipts.keys()) if (receipts.size > MAX_RECEIPTS) receipts.delete(oldest)
    },
    of: async messageId => receipts.get(messageId) ?? null,
  }
}

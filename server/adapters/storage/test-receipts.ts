import type { Storage } from 'unstorage'
import type { TestReceipts } from '../../ports/delivery'
import type { Receipt } from '../../ports/submission'

const KEPT_S = 3600

const keyOf = (messageId: string) => `test-email:${encodeURIComponent(messageId)}`

export function createTestReceipts(storage: Storage): TestReceipts {
  return {
    keep: (messageId, { ...receipt }) => storage.setItem(keyOf(messageId), receipt, { ttl: KEPT_S }),
    of: messageId => storage.getItem<Receipt>(keyOf(messageId)),
  }
}

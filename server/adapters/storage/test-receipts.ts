import type { TestReceipts } from '../../ports/delivery'
import type { Receipt } from '../../ports/submission'
import { keyPart, type SmallStorage } from './small-storage'

const KEPT_S = 3600

const keyOf = (messageId: string) => `test-email:${keyPart(messageId)}`

export function createTestReceipts(storage: SmallStorage): TestReceipts {
  return {
    keep: (messageId, { ...receipt }) => storage.setItem(keyOf(messageId), receipt, { ttl: KEPT_S }),
    of: messageId => storage.getItem<Receipt>(keyOf(messageId)),
  }
}

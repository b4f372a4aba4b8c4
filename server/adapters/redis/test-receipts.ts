import type { TestReceipts } from '../../ports/delivery'
import type { Receipt } from '../../ports/submission'
import { createCalls } from './connection/calls'
import type { RedisClient } from './connection/client'

const KEPT_S = 3600

const keyOf = (messageId: string) => `{triage}:test-email:${messageId}`

export function createRedisTestReceipts(client: RedisClient): TestReceipts {
  const { call } = createCalls(client)
  return {
    async keep(messageId, receipt) {
      await call(() => client.set(keyOf(messageId), JSON.stringify(receipt), { EX: KEPT_S }))
    },
    async of(messageId) {
      const text = await call(() => client.get(keyOf(messageId)))
      return text === null ? null : JSON.parse(text) as Receipt
    },
  }
}

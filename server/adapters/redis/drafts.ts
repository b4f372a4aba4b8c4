import type { Drafts } from '../../ports/drafts'
import { createCalls, script } from './connection/calls'
import type { RedisClient } from './connection/client'
import { dataKey, draftsKey } from './store/record'

/** KEYS form data, drafts. ARGV draft, text, time to keep it, ms: never longer than the form data. */
const SAVE = script(`
local left = redis.call('PTTL', KEYS[1])
if left < 0 then return end
redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
redis.call('PEXPIRE', KEYS[2], math.min(left, ARGV[3]))
`)

/** Keeps drafts in Redis, in a hash per submission. The scripts of the store delete it with the form data. */
export function createRedisDrafts(client: RedisClient): Drafts {
  const { call, run } = createCalls(client)
  return {
    save: async (submission, draft, text, ttlMs) => {
      await run(SAVE, [dataKey(submission), draftsKey(submission)], [draft, text, ttlMs])
    },
    load: async (submission, draft) => {
      const [text, exists] = await call(() => Promise.all([
        client.hGet(draftsKey(submission), draft), client.exists(dataKey(submission)),
      ]))
      return { text, isErased: exists === 0 }
    },
    remove: async (submission, draft) => void await call(() => client.hDel(draftsKey(submission), draft)),
  }
}

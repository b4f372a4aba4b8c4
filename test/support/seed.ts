import { SUBMISSION_TTL_MS } from '../../shared/lifetimes'
import { randomUUID } from 'node:crypto'
import { RedisStore } from '../../server/adapters/redis/store/store'
import { storeRules } from '../../server/domain/lifecycle/record'
import type { Submission } from '../../server/ports/submission'
import { connectRedis } from './redis-client'

/** Returns an open submission with a posted card. No work is due for days. */
export function waiting(changes: Partial<Submission> = {}): Submission {
  const id = changes.id ?? randomUUID()
  const receivedAt = changes.receivedAt ?? Date.now()
  return {
    id, version: 1, state: 'open', receivedAt, expiresAt: receivedAt + SUBMISSION_TTL_MS,
    data: { name: 'Ada Lovelace', message: 'Hello' },
    reminded: true, edited: [],
    cards: [{ platform: 'slack', threadId: 'slack:C000000001:1.2', messageId: '1700000000.000100' }], decision: null,
    work: [], delivered: [], failures: [],
    history: [
      { at: receivedAt, event: 'received' }, { at: receivedAt, event: 'posted', platform: 'slack' },
    ], ...changes,
  }
}

/** Writes submissions directly to Redis, without the intake. */
export async function seed(redisUrl: string, submissions: readonly Submission[]): Promise<void> {
  await withStore(redisUrl, async (store) => {
    // Limit the batch, so that Redis answers within the time limit of one call.
    for (let start = 0; start < submissions.length; start += 100) {
      await Promise.all(submissions.slice(start, start + 100).map(submission => store.create(submission)))
    }
  })
}

/** Changes a submission to a later state, or as another process would. */
export async function become(redisUrl: string, id: string, changes: Partial<Submission>): Promise<void> {
  await withStore(redisUrl, async (store) => {
    const now = await store.get(id)
    if (!now || !await store.replace(now, { ...now, version: now.version + 1, ...changes })) {
      throw new Error(`${id} changed meanwhile.`)
    }
  })
}

async function withStore(redisUrl: string, use: (store: RedisStore) => Promise<void>): Promise<void> {
  const store = new RedisStore(await connectRedis(redisUrl), storeRules)
  await use(store).finally(() => store.close())
}

/** Returns `count` submissions, a second apart, newest last. Searches for a number do not match their ids. */
export function series(count: number): Submission[] {
  const now = Date.now()
  return Array.from({ length: count }, (_, index) => waiting({
    id: `series-${index + 1}`, receivedAt: now - (count - index) * 1000,
    data: { name: `Person ${index + 1}`, message: `Message number ${index + 1}` },
  }))
}

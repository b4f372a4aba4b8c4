import { randomUUID } from 'node:crypto'
import { createCalls } from './connection/calls'
import type { RedisClient } from './connection/client'

const KEY = '{triage}:id'

/** The name of a store: the first process that asks gives it one. */
export async function redisId(client: RedisClient): Promise<string> {
  const id = randomUUID()
  return await createCalls(client).call(() => client.set(KEY, id, { condition: 'NX', GET: true })) ?? id
}

import { randomUUID } from 'node:crypto'
import { createCalls } from './connection/calls'
import type { RedisClient } from './connection/client'

const KEY = '{triage}:id'

/** Returns the id of a store. The first process that asks creates it. */
export async function redisId(client: RedisClient): Promise<string> {
  const id = randomUUID()
  return await createCalls(client).call(() => client.set(KEY, id, { condition: 'NX', GET: true })) ?? id
}

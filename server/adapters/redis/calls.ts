import { once } from 'node:events'
import { bounded, type RedisClient } from './client'

/** The ports promise less than 2 s. */
export const CALL_TIMEOUT_MS = 1_500

/** How ports call Redis: bounded in time, and the first calls of a cold start wait for the connection. */
export interface Calls {
  /** Settles with the first attempt to connect; never rejects. */
  readonly started: Promise<unknown>
  /** Rejects when Redis is away or silent. */
  call<T>(command: () => Promise<T>): Promise<T>
}

export function createCalls(client: RedisClient): Calls {
  // Commands reject while the client is not connected; the first request of a cold start waits for the first attempt.
  const started: Promise<unknown> = client.isReady ? Promise.resolve() : once(client, 'ready').catch(() => { /* The command says why. */ })
  return { started, call: command => bounded(started.then(command), CALL_TIMEOUT_MS) }
}

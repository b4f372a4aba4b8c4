import type { HealthBook, PartHealth } from '../../ports/monitor'
import { createCalls } from './calls'
import type { RedisClient } from './client'

const KEY = '{triage}:health'
/** A success that follows a success within this time, ms, is not worth a write. */
const QUIET_MS = 10_000

/** Health notes in one hash: two fields for each part. */
export function createRedisHealthBook(client: RedisClient): HealthBook {
  const { call } = createCalls(client)
  const fresh = new Map<string, number>()
  return {
    note(part, at, error) {
      if (error === undefined && at - (fresh.get(part) ?? -Infinity) < QUIET_MS) return
      if (error === undefined) fresh.set(part, at)
      else fresh.delete(part)
      const [field, value] = error === undefined
        ? [`${part}:success`, String(at)]
        : [`${part}:error`, JSON.stringify({ at, reason: error })]
      call(() => client.hSet(KEY, field, value)).catch(() => fresh.delete(part))
    },
    async read() {
      const parts: Record<string, PartHealth> = {}
      for (const [field, value] of Object.entries(await call(() => client.hGetAll(KEY)))) {
        // A part may be a room, with a colon in its name.
        const [, name, kind] = /^(.*):(\w+)$/s.exec(field)!
        const part = parts[name!] ??= { lastSuccessAt: null, lastError: null }
        if (kind === 'success') part.lastSuccessAt = Number(value)
        else part.lastError = JSON.parse(value) as PartHealth['lastError']
      }
      return parts
    },
  }
}

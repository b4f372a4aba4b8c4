import { INCIDENT_TTL_MS } from '../../../shared/lifetimes'
import type { HealthBook, Incident, IncidentKind, PartHealth } from '../../ports/monitor'
import { createCalls } from './connection/calls'
import type { RedisClient } from './connection/client'

const KEY = '{triage}:health'
const INCIDENTS = '{triage}:incidents'
/** Min time between two successes that are written, ms. */
const QUIET_MS = 10_000

/** Keeps health notes in one hash, up to four fields per part, and incidents in another, three per kind and detail. */
export function createRedisHealthBook(client: RedisClient): HealthBook {
  const { call } = createCalls(client)
  const writtenAt = new Map<string, number>()
  return {
    async note(part, at, error) {
      if (error === undefined && at - (writtenAt.get(part) ?? -Infinity) < QUIET_MS) return null
      if (error === undefined) writtenAt.set(part, at)
      else writtenAt.delete(part)
      const sinceField = `${part}:since`
      try {
        if (error !== undefined) {
          await call(() => Promise.all([
            client.hSet(KEY, `${part}:error`, JSON.stringify({ at, reason: error })),
            client.hSetNX(KEY, sinceField, String(at)),
          ]))
          return null
        }
        const [beganAt, , removedCount] = await call(() => Promise.all([
          client.hGet(KEY, sinceField), client.hSet(KEY, `${part}:success`, String(at)), client.hDel(KEY, sinceField),
        ]))
        // Only one replica removes the field, so only one reports the end.
        return beganAt && removedCount > 0 ? Number(beganAt) : null
      }
      catch {
        writtenAt.delete(part)
        return null
      }
    },
    limit(part, until) {
      call(() => client.hSet(KEY, `${part}:limit`, String(until))).catch(() => { /* Ignored, like failed notes. */ })
    },
    async read() {
      const parts: Record<string, PartHealth> = {}
      for (const [field, value] of Object.entries(await call(() => client.hGetAll(KEY)))) {
        // A part may be a room, whose name contains a colon.
        const [, name, kind] = /^(.*):(\w+)$/s.exec(field)!
        const part = parts[name!] ??= { lastSuccessAt: null, lastError: null, limitedUntil: null }
        if (kind === 'success') part.lastSuccessAt = Number(value)
        else if (kind === 'limit') part.limitedUntil = Number(value)
        else if (kind === 'error') part.lastError = JSON.parse(value) as PartHealth['lastError']
      }
      return parts
    },
    count(kind, detail, at) {
      const id = `${kind}:${detail}`
      call(() => client.multi()
        .hIncrBy(INCIDENTS, `count:${id}`, 1)
        .hSetNX(INCIDENTS, `since:${id}`, String(at))
        .hSet(INCIDENTS, `last:${id}`, String(at))
        .pExpire(INCIDENTS, INCIDENT_TTL_MS)
        .exec()).catch(() => { /* Ignored, like failed notes. */ })
    },
    async incidents(now) {
      const fields = await call(() => client.hGetAll(INCIDENTS))
      const incidents = Object.keys(fields).filter(field => field.startsWith('last:')).map((field): Incident => {
        const [, kind, detail] = /^last:([^:]+):(.*)$/s.exec(field)!
        const numberOf = (name: string) => Number(fields[`${name}:${kind}:${detail}`])
        return {
          kind: kind as IncidentKind, detail: detail!, count: numberOf('count'), since: numberOf('since'),
          lastAt: numberOf('last'),
        }
      })
      const endedIncidents = incidents.filter(({ lastAt }) => lastAt <= now - INCIDENT_TTL_MS)
      const endedFields = endedIncidents.flatMap(({ kind, detail }) => (
        ['count', 'since', 'last'].map(name => `${name}:${kind}:${detail}`)
      ))
      if (endedFields.length > 0) await call(() => client.hDel(INCIDENTS, endedFields))
      return incidents.filter(incident => !endedIncidents.includes(incident)).sort((a, b) => b.lastAt - a.lastAt)
    },
  }
}

import { randomUUID } from 'node:crypto'
import type { Storage } from 'unstorage'
import { INCIDENT_TTL_MS } from '../../../shared/lifetimes'
import { KeyedMutex } from '../../../shared/utils/turns'
import type { HealthBook, Incident, IncidentKind, PartHealth } from '../../ports/monitor'

/** Min time between two successes that are written, ms. */
const QUIET_MS = 10_000

/** Time in which replicas agree on who reports the end of an outage, s. */
const AGREEMENT_S = 60

type Fact = 'success' | 'error' | 'limit' | 'since' | 'ended'

/**
 * Keeps each fact about a part under a key of its own, so that replicas do not overwrite each other's facts. Each
 * process counts incidents under keys of its own; the sum is read.
 */
export function createHealthBook(storage: Storage): HealthBook {
  const processId = randomUUID()
  const mutex = new KeyedMutex()
  const writtenAt = new Map<string, number>()
  const counted = new Map<string, Incident>()
  const keyOf = (part: string, fact: Fact) => `health:${encodeURIComponent(part)}:${fact}`

  /** Returns the start of the outage that ends, in one of the replicas; null if none ends here. */
  async function end(part: string, at: number): Promise<number | null> {
    const [since] = await Promise.all([
      storage.getItem<number>(keyOf(part, 'since')), storage.setItem(keyOf(part, 'success'), at),
    ])
    if (since === null) return null
    const key = keyOf(`${part} ${since}`, 'ended')
    await storage.setItem(key, processId, { ttl: AGREEMENT_S, ifAbsent: true })
    if (await storage.getItem(key) !== processId) return null
    await storage.removeItem(keyOf(part, 'since'))
    return since
  }

  async function fail(part: string, at: number, reason: string): Promise<null> {
    await Promise.all([
      storage.setItem(keyOf(part, 'error'), { at, reason }),
      storage.setItem(keyOf(part, 'since'), at, { ifAbsent: true }),
    ])
    return null
  }

  return {
    async note(part, at, error) {
      if (error === undefined && at - (writtenAt.get(part) ?? -Infinity) < QUIET_MS) return null
      if (error === undefined) writtenAt.set(part, at)
      else writtenAt.delete(part)
      return mutex.run(part, () => error === undefined ? end(part, at) : fail(part, at, error)).catch(() => {
        writtenAt.delete(part)
        return null
      })
    },
    limit(part, until) {
      const write = mutex.run(part, () => storage.setItem(keyOf(part, 'limit'), until))
      write.catch(() => { /* Ignored, like failed notes. */ })
    },
    async read() {
      // What this process noted itself is part of the answer.
      await mutex.settled()
      const parts: Record<string, PartHealth> = {}
      const keys = await storage.getKeys('health')
      const values = await Promise.all(keys.map(key => storage.getItem(key)))
      for (const [index, key] of keys.entries()) {
        const [, name, fact] = key.split(':') as [string, string, Fact]
        if (fact === 'since' || fact === 'ended') continue
        const part = parts[decodeURIComponent(name)] ??= { lastSuccessAt: null, lastError: null, limitedUntil: null }
        if (fact === 'success') part.lastSuccessAt = values[index] as number
        else if (fact === 'limit') part.limitedUntil = values[index] as number
        else part.lastError = values[index] as PartHealth['lastError']
      }
      return parts
    },
    count(kind, detail, at) {
      const key = `incident:${kind}:${encodeURIComponent(detail)}:${processId}`
      const earlier = counted.get(key)
      const { count, since } = earlier && earlier.lastAt > at - INCIDENT_TTL_MS ? earlier : { count: 0, since: at }
      const incident = { kind, detail, count: count + 1, since, lastAt: at }
      counted.set(key, incident)
      const ttl = INCIDENT_TTL_MS / 1000
      mutex.run(key, () => storage.setItem(key, incident, { ttl })).catch(() => { /* Ignored, like failed notes. */ })
    },
    async incidents(now) {
      await mutex.settled()
      const keys = await storage.getKeys('incident')
      const all = (await Promise.all(keys.map(key => storage.getItem<Incident>(key)))).filter(each => each !== null)
      const recent = all.filter(({ lastAt }) => lastAt > now - INCIDENT_TTL_MS)
      return Object.values(Object.groupBy(recent, ({ kind, detail }) => `${kind}:${detail}`)).map(each => sum(each!))
        .sort((a, b) => b.lastAt - a.lastAt)
    },
  }
}

/** Adds up what several processes counted of one kind and detail. */
function sum(incidents: readonly Incident[]): Incident {
  const { kind, detail } = incidents[0]! satisfies { kind: IncidentKind }
  return {
    kind, detail, count: incidents.reduce((total, { count }) => total + count, 0),
    since: Math.min(...incidents.map(({ since }) => since)), lastAt: Math.max(...incidents.map(({ lastAt }) => lastAt)),
  }
}

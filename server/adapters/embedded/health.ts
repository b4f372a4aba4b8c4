import { INCIDENT_TTL_MS } from '../../../shared/lifetimes'
import type { HealthBook, Incident, PartHealth } from '../../ports/monitor'

export function createEmbeddedHealthBook(): HealthBook {
  const parts: Record<string, PartHealth> = {}
  const failingSince = new Map<string, number>()
  const getPart = (part: string) => parts[part] ??= { lastSuccessAt: null, lastError: null, limitedUntil: null }
  const incidents = new Map<string, Incident>()
  return {
    async note(part, at, error) {
      const change = error === undefined ? { lastSuccessAt: at } : { lastError: { at, reason: error } }
      parts[part] = { ...getPart(part), ...change }
      const since = failingSince.get(part)
      if (error === undefined) failingSince.delete(part)
      else if (since === undefined) failingSince.set(part, at)
      return error === undefined ? since ?? null : null
    },
    limit(part, until) {
      parts[part] = { ...getPart(part), limitedUntil: until }
    },
    read: async () => ({ ...parts }),
    count(kind, detail, at) {
      const { count, since } = incidents.get(`${kind}:${detail}`) ?? { count: 0, since: at }
      incidents.set(`${kind}:${detail}`, { kind, detail, count: count + 1, since, lastAt: at })
    },
    async incidents(now) {
      for (const [id, { lastAt }] of incidents) if (lastAt <= now - INCIDENT_TTL_MS) incidents.delete(id)
      return [...incidents.values()].sort((a, b) => b.lastAt - a.lastAt)
    },
  }
}

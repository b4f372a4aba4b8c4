import type { HealthBook, Incident, PartHealth } from '../../ports/monitor'

const DAY_MS = 86_400_000

export function createEmbeddedHealthBook(): HealthBook {
  const parts: Record<string, PartHealth> = {}
  const incidents = new Map<string, Incident>()
  return {
    note(part, at, error) {
      const known = parts[part] ?? { lastSuccessAt: null, lastError: null }
      parts[part] = error === undefined
        ? { ...known, lastSuccessAt: at }
        : { ...known, lastError: { at, reason: error } }
    },
    read: async () => ({ ...parts }),
    count(kind, detail, at) {
      const { count, since } = incidents.get(`${kind}:${detail}`) ?? { count: 0, since: at }
      incidents.set(`${kind}:${detail}`, { kind, detail, count: count + 1, since, lastAt: at })
    },
    async incidents(now) {
      for (const [id, { lastAt }] of incidents) if (lastAt <= now - DAY_MS) incidents.delete(id)
      return [...incidents.values()].sort((a, b) => b.lastAt - a.lastAt)
    },
  }
}

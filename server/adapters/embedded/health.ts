import type { HealthBook, PartHealth } from '../../ports/monitor'

export function createEmbeddedHealthBook(): HealthBook {
  const parts: Record<string, PartHealth> = {}
  return {
    note(part, at, error) {
      const known = parts[part] ?? { lastSuccessAt: null, lastError: null }
      parts[part] = error === undefined
        ? { ...known, lastSuccessAt: at }
        : { ...known, lastError: { at, reason: error } }
    },
    read: async () => ({ ...parts }),
  }
}

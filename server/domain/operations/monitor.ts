import type { HealthBook, Metrics, Monitor } from '../../ports/monitor'
import type { Work } from '../../ports/submission'

/**
 * Hands what happens to the health notes, and to the metrics when they are on; those load beside the first requests.
 */
export function createMonitor(health: HealthBook, metrics: Promise<Metrics> | null, now: () => number): Monitor {
  const count = (record: (metrics: Metrics) => void) => void metrics?.then(record)
  return {
    received: held => count(loaded => loaded.received(held)),
    ended: line => count(loaded => loaded.ended(line)),
    misplaced: platform => count(loaded => loaded.misplaced(platform)),
    acknowledged: (...facts) => count(loaded => loaded.acknowledged(...facts)),
    tried(work, outcome, ms) {
      health.note(partOf(work), now(), outcome.ok ? undefined : outcome.reason)
      count(loaded => loaded.tried(work, outcome, ms))
    },
  }
}

/** A platform by its key, a delivery by its kind. */
function partOf({ kind, room, card }: Work): string {
  return room?.split('/')[0] ?? card?.platform ?? kind
}

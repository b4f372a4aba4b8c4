import type { HealthBook, Metrics, Monitor } from '../../ports/monitor'
import type { Work } from '../../ports/submission'

/** Parts that not everybody has, beside platforms and deliveries. `receipts` tells what became of emails. */
export const OPTIONAL_PARTS = { receipts: 'Email receipts', files: 'File storage' } as const
export type OptionalPart = keyof typeof OPTIONAL_PARTS

/** Tells the health notes of what happens, and the metrics where they are on. */
export function createMonitor(health: HealthBook, metrics: Promise<Metrics> | null, now: () => number): Monitor {
  const note = (part: OptionalPart, reason?: string) => health.note(part, now(), reason)
  const count = (record: (metrics: Metrics) => void) => void metrics?.then(record)
  return {
    received: held => count(loaded => loaded.received(held)),
    ended: line => count(loaded => loaded.ended(line)),
    misplaced: platform => count(loaded => loaded.misplaced(platform)),
    refused: platform => count(loaded => loaded.refused(platform)),
    told(...facts) {
      note('receipts')
      count(loaded => loaded.told(...facts))
    },
    toldForeign: () => count(loaded => loaded.toldForeign()),
    acknowledged: (...facts) => count(loaded => loaded.acknowledged(...facts)),
    incident(kind, detail = '') {
      health.count(kind, detail, now())
      count(loaded => loaded.incident(kind))
    },
    tried(work, outcome, ms) {
      for (const part of partsOf(work, outcome.ok)) health.note(part, now(), outcome.ok ? undefined : outcome.reason)
      count(loaded => loaded.tried(work, outcome, ms))
    },
    filed(reason) {
      note('files', reason)
      count(loaded => loaded.filed(reason))
    },
    undelivered(room, reason) {
      for (const part of partsOf({ kind: 'post', room }, false)) health.note(part, now(), reason)
      count(loaded => loaded.undelivered(room, reason))
    },
  }
}

const PARTS: Partial<Record<Work['kind'], string>> = { erasure: 'endpoint', confirm: 'email' }

/**
 * A platform by its key, a delivery by its kind. A room beside its platform's own is a part, too: what it refuses says
 * nothing of the platform.
 */
function partsOf({ kind, room, card }: Pick<Work, 'kind' | 'room' | 'card'>, isDone: boolean): string[] {
  const part = room?.split('/')[0] ?? card?.platform ?? PARTS[kind] ?? kind
  if (room === undefined || room === part) return [part]
  return isDone ? [part, room] : [room]
}

import type { Outcome } from '../../ports/delivery'
import type { HealthBook, Metrics, Monitor } from '../../ports/monitor'
import type { Log } from '../../ports/runtime'
import type { Work } from '../../ports/submission'
import { vendorPauseMs } from '../outbox/backoff'
import { wayOf } from '../deliveries/registry'

/** Optional parts, besides platforms and deliveries. `receipts` reports the status of emails. */
export const OPTIONAL_PARTS = { receipts: 'Email receipts', files: 'File storage' } as const
export type OptionalPart = keyof typeof OPTIONAL_PARTS

interface MonitorPorts {
  health: HealthBook
  metrics: Promise<Metrics> | null
  now: () => number
  log: Pick<Log, 'info'>
  /** Called in one replica at the first success after an outage; `since` is when the outage began, epoch ms. */
  recovered?: (part: string, since: number) => void
}

/** Records events in the health notes and, if they are on, in the metrics; logs when a part works again. */
export function createMonitor({ health, metrics, now, log, recovered }: MonitorPorts): Monitor {
  const failingParts = new Set<string>()
  const note = (part: string, reason?: string) => {
    if (reason !== undefined) failingParts.add(part)
    else if (failingParts.delete(part)) log.info('part.works-again', { part })
    void health.note(part, now(), reason).then(since => since !== null && recovered?.(part, since))
  }
  const noteOutcome = (part: string, outcome: Outcome<unknown>) => {
    if (!outcome.ok && outcome.limited) health.limit(part, now() + vendorPauseMs(outcome.retryAfterMs))
    else note(part, outcome.ok ? undefined : outcome.reason)
  }
  const count = (record: (metrics: Metrics) => void) => void metrics?.then(record)
  return {
    received: isHeld => count(counter => counter.received(isHeld)),
    ended: line => count(counter => counter.ended(line)),
    misplaced: platform => count(counter => counter.misplaced(platform)),
    refused: platform => count(counter => counter.refused(platform)),
    told(...facts) {
      note('receipts')
      count(counter => counter.told(...facts))
    },
    toldForeign: () => count(counter => counter.toldForeign()),
    acknowledged: (...facts) => count(counter => counter.acknowledged(...facts)),
    incident(kind, detail = '') {
      health.count(kind, detail, now())
      count(counter => counter.incident(kind))
    },
    tried(work, outcome, durationMs) {
      // Somebody deleted this one card: the platform works.
      if (outcome.ok || !outcome.gone) noteOutcome(noteOf(work), outcome)
      count(counter => counter.tried(work, outcome, durationMs))
    },
    probed: noteOutcome,
    filed(reason) {
      note('files', reason)
      count(counter => counter.filed(reason))
    },
    undelivered(room, reason) {
      note(noteOf({ kind: 'post', room }), reason)
      count(counter => counter.undelivered(room, reason))
    },
  }
}

/** Name of the note about a platform's answer to our credentials. */
export function credentialsNote(platform: string): string {
  return `${platform}:credentials`
}

/** Name of the note about edits of a room's cards, and replies below them. */
export function editsNote(room: string): string {
  return `${room}:edits`
}

/**
 * Name of the note for an attempt. New cards of a room have their own note, named like the room: credentials, edits and
 * other rooms do not tell if they arrive.
 */
export function noteOf({ kind, room, card }: Pick<Work, 'kind' | 'room' | 'card'>): string {
  const place = room ?? card?.platform
  if (place === undefined) return wayOf(kind)
  return kind === 'post' ? place : editsNote(place)
}

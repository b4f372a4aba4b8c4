import type { Outcome } from '../../ports/delivery'
import { FileMissing, type FileStore } from '../../ports/files'
import type { Metrics, Monitor } from '../../ports/monitor'
import type { WorkTarget } from '../../ports/submission'
import type { Core } from '../context'
import { vendorPauseMs } from '../outbox/backoff'
import { wayOf } from '../deliveries/registry'

/** Optional parts of the service, in addition to platforms and deliveries. `receipts` reports the status of emails. */
export const OPTIONAL_PARTS = { receipts: 'Email receipts', files: 'File storage' } as const
export type OptionalPart = keyof typeof OPTIONAL_PARTS

/**
 * Records events in the health notes and, if enabled, in the metrics; logs when a part works again.
 *
 * @param recovered called in one replica at the first success after an outage; `since` is the start of the outage,
 * epoch ms
 */
export function createMonitor(
  { health, runtime: { now }, log }: Core, metrics: Promise<Metrics> | null,
  recovered: (part: string, since: number) => void = () => {},
): Monitor {
  const failingParts = new Set<string>()
  const note = (part: string, reason?: string) => {
    if (reason !== undefined) failingParts.add(part)
    else if (failingParts.delete(part)) log.info('part.works-again', { part })
    void health.note(part, now(), reason).then(since => since !== null && recovered(part, since))
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
      // Ignore a deleted card: the platform works.
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

/** Name of the note about edits of a room's cards and replies to its cards. */
export function editsNote(room: string): string {
  return `${room}:edits`
}

/**
 * Name of the note for an attempt. New cards have one note per room, named like the room, because nothing else shows if
 * they arrive there.
 */
export function noteOf({ kind, room, card }: WorkTarget): string {
  const place = room ?? card?.platform
  if (place === undefined) return wayOf(kind)
  return kind === 'post' ? place : editsNote(place)
}

/**
 * Reports results of the file storage to the monitor. Leaves out errors that are no failure of the storage: a sender
 * who disconnects, a file that is not allowed, a lost file.
 */
export function notedFiles(files: FileStore, monitor: Monitor): FileStore {
  return {
    ...files,
    async write(id, index, content) {
      let isSendersError = false
      async function* readContent() {
        try {
          yield* content
        }
        catch (error) {
          isSendersError = true
          throw error
        }
      }
      try {
        await files.write(id, index, readContent())
      }
      catch (error) {
        if (!isSendersError) monitor.filed(reasonOf(error, 'stored'))
        throw error
      }
      monitor.filed()
    },
    async* read(id, index, size) {
      try {
        yield* files.read(id, index, size)
      }
      catch (error) {
        if (!(error instanceof FileMissing)) monitor.filed(reasonOf(error, 'read'))
        throw error
      }
      monitor.filed()
    },
  }
}

/** Returns a text with the error's code only: its message may contain paths and keys. */
function reasonOf(error: unknown, verb: string): string {
  const { code, cause } = error as { code?: unknown, cause?: { code?: unknown } }
  const errorCode = [cause?.code, code].find(each => typeof each === 'string' && /^\w{1,40}$/.test(each))
  return `A file could not be ${verb}${errorCode ? ` (${errorCode as string})` : ''}. Check where files are kept: DATA_DIR, FILES_S3_* or BLOB_READ_WRITE_TOKEN.`
}

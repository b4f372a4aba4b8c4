import { AUDIT_TTL_MS, IDEMPOTENCY_TTL_MS, hourOf, tallyHours } from '../../../shared/lifetimes'
import type { AuditLine } from '../../ports/submission'
import type { Storage } from 'unstorage'
import { cursorAt, readCursor } from '../../../shared/utils/cursor'
import type { HourTally, List, PageRequest } from '../../ports/store'

/** Facts about a submission that are known without reading its file. */
export interface Entry {
  id: string
  version: number
  list: List | null
  receivedAt: number
  due: number
  stuck: boolean
  taken: boolean
  /** Time until which the trace is kept, epoch ms; Infinity for a submission that has not ended. */
  until: number
}

/** Returns a page of the list, as `SubmissionStore.listPending` does. */
export function slicePage(
  entries: Entry[], { limit, before = '', sort }: PageRequest,
): { places: Entry[], cursor: string | null } {
  const order: typeof newestFirst = sort === 'oldest' ? (a, b) => newestFirst(b, a) : newestFirst
  const cursor = readCursor(before)
  const isBelow = (entry: Entry) => cursor === null || order(entry, { receivedAt: cursor.at, id: cursor.id }) > 0
  const remaining = entries.filter(isBelow).sort(order)
  const places = remaining.slice(0, limit)
  const last = places.at(-1)
  return { places, cursor: last && remaining.length > limit ? cursorAt(last.receivedAt, last.id) : null }
}

/** Orders the list of pending submissions. */
export function newestFirst(a: Pick<Entry, 'receivedAt' | 'id'>, b: Pick<Entry, 'receivedAt' | 'id'>): number {
  return b.receivedAt - a.receivedAt || (a.id < b.id ? 1 : a.id > b.id ? -1 : 0)
}

/** Returns the entries due by `until`, earliest first. */
export function dueBy(entries: ReadonlyMap<string, Entry>, until: number, limit = Infinity): Entry[] {
  return [...entries.values()].filter(({ due }) => due <= until).sort((a, b) => a.due - b.due).slice(0, limit)
}

/** Folder of the idempotency keys. Each is a file named by the key. */
export const KEY_FILES = 'idempotency:'

interface Holder {
  id: string
  /** Epoch ms. */
  until: number
}

/** Keeps the submission of each idempotency key in memory, and on disk to survive a restart. */
export class IdempotencyKeys {
  private readonly holders = new Map<string, Holder>()

  /** @param now epoch ms */
  constructor(private readonly files: Storage, private readonly now: () => number) {}

  /** Restores a key from its file after a restart. */
  restore(file: string, stored: unknown): void {
    this.holders.set(file.slice(KEY_FILES.length), stored as Holder)
  }

  /** Returns the submission that has the key, if any. */
  holder(key: string): string | undefined {
    const holder = this.holders.get(key)
    return holder && holder.until > this.now() ? holder.id : undefined
  }

  async hold(key: string, id: string): Promise<void> {
    await this.forgetOld()
    const holder: Holder = { id, until: this.now() + IDEMPOTENCY_TTL_MS }
    await this.files.setItemRaw(KEY_FILES + key, JSON.stringify(holder))
    this.holders.set(key, holder)
  }

  private async forgetOld(): Promise<void> {
    for (const [key, { until }] of this.holders) {
      if (until > this.now()) continue
      this.holders.delete(key)
      await this.files.removeItem(KEY_FILES + key)
    }
  }
}

/** Folder of the audit lines. */
export const AUDIT_FILES = 'audit:'

const AUDIT_LINES = 10_000

/** Keeps audit lines, one file each. */
export class AuditTrail {
  private readonly lines = new Map<string, AuditLine>()

  constructor(private readonly files: Storage) {}

  /** @param version of the submission before the step; a repeated step writes the same line */
  async add(line: AuditLine, version: number): Promise<void> {
    const name = `${line.id}.${version}`
    await this.files.setItemRaw(AUDIT_FILES + name, JSON.stringify(line))
    this.lines.set(name, line)
    await this.trim()
  }

  restore(key: string, line: AuditLine): void {
    this.lines.set(key.slice(AUDIT_FILES.length), line)
  }

  newest(limit: number, since = -Infinity): AuditLine[] {
    return this.sortLines().slice(0, limit).map(([, line]) => line).filter(({ at }) => at >= since)
  }

  /** @param arrivals times at which submissions came in, epoch ms */
  tally(now: number, arrivals: readonly number[]): HourTally[] {
    const hours = tallyHours(now).map(hour => ({ hour, counts: {} as HourTally['counts'] }))
    const count = (at: number, outcome: keyof HourTally['counts']) => {
      const counts = hours.find(({ hour }) => hour === hourOf(at))?.counts
      if (counts) counts[outcome] = (counts[outcome] ?? 0) + 1
    }
    for (const at of arrivals) count(at, 'received')
    for (const { at, outcome } of this.lines.values()) count(at, outcome)
    return hours
  }

  async trim(): Promise<void> {
    const lines = this.sortLines()
    for (const [index, [name, { at }]] of lines.entries()) {
      if (index < AUDIT_LINES && at > lines[0]![1].at - AUDIT_TTL_MS) continue
      this.lines.delete(name)
      await this.files.removeItem(AUDIT_FILES + name)
    }
  }

  private sortLines(): [string, AuditLine][] {
    return [...this.lines].sort(([, a], [, b]) => b.at - a.at)
  }
}

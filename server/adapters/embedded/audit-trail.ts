import type { Storage } from 'unstorage'
import type { HourTally } from '../../ports/store'
import { INTERIM_OUTCOMES, type AuditLine } from '../../ports/submission'

/** Folder of its files. */
export const AUDIT_FILES = 'audit:'

const HOUR_MS = 60 * 60 * 1000
const AUDIT_TTL_MS = 30 * 24 * HOUR_MS
const AUDIT_LINES = 10_000

/** What stays of decisions: one file each. */
export class AuditTrail {
  private readonly lines = new Map<string, AuditLine>()

  constructor(private readonly files: Storage) {}

  /** @param version of the submission before the step; the same step done again writes the same line */
  async add(line: AuditLine, version: number): Promise<void> {
    const name = `${line.id}.${version}`
    await this.files.setItemRaw(AUDIT_FILES + name, JSON.stringify(line))
    this.lines.set(name, line)
    await this.trim()
  }

  restore(key: string, line: AuditLine): void {
    this.lines.set(key.slice(AUDIT_FILES.length), line)
  }

  /** Whether that submission came to its end. */
  has(id: string): boolean {
    return [...this.lines.values()].some(line => line.id === id && !INTERIM_OUTCOMES.includes(line.outcome))
  }

  newest(limit: number): AuditLine[] {
    return this.sorted().slice(0, limit).map(([, line]) => line)
  }

  /** @param arrivals when each submission came in that has not ended, epoch ms */
  tally(now: number, arrivals: readonly number[]): HourTally[] {
    const hours = Array.from({ length: 24 }, (_, index) => ({ hour: hourOf(now) - (23 - index) * HOUR_MS, counts: {} as HourTally['counts'] }))
    const count = (at: number, what: keyof HourTally['counts']) => {
      const counts = hours.find(({ hour }) => hour === hourOf(at))?.counts
      if (counts) counts[what] = (counts[what] ?? 0) + 1
    }
    for (const at of arrivals) count(at, 'received')
    for (const line of this.lines.values()) {
      count(line.at, line.outcome)
      if (!INTERIM_OUTCOMES.includes(line.outcome)) count(line.receivedAt, 'received')
    }
    return hours
  }

  async trim(): Promise<void> {
    const lines = this.sorted()
    for (const [index, [name, { at }]] of lines.entries()) {
      if (index < AUDIT_LINES && at > lines[0]![1].at - AUDIT_TTL_MS) continue
      this.lines.delete(name)
      await this.files.removeItem(AUDIT_FILES + name)
    }
  }

  private sorted(): [string, AuditLine][] {
    return [...this.lines].sort(([, a], [, b]) => b.at - a.at)
  }
}

function hourOf(at: number): number {
  return Math.floor(at / HOUR_MS) * HOUR_MS
}

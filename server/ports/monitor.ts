import type { Outcome } from './delivery'
import type { AuditLine, Work } from './submission'

/** Watches what the service does, for metrics and the status page. Nothing here waits, fails, or sees form data. */
export interface Monitor {
  /** A form was stored, as one to decide or to be held. */
  received(held: boolean): void
  /** One attempt at an outside effect took `ms`. */
  tried(work: Work, outcome: Outcome<unknown>, ms: number): void
  /** A decision came to its end. */
  ended(line: AuditLine): void
  /** Somebody tried to decide a submission that does not belong to where they are. */
  misplaced(platform: string): void
  /** A webhook of a platform was answered after `ms`. */
  acknowledged(platform: string, status: number, ms: number): void
}

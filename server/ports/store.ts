import type { AuditLine, Submission } from './submission'

/**
 * Keeps submissions, the order of the open ones, and when each needs attention next.
 * Every method rejects when the store cannot be reached, in less than 2 s.
 */
export interface SubmissionStore {
  /**
   * Stores a new submission and resolves with its id.
   *
   * @param idempotencyKey 64 hex digits; while another submission has been holding the same for less than 24 h, nothing
   * is stored and its id is the answer, also when it is decided by now
   */
  create(submission: Submission, idempotencyKey?: string): Promise<string>
  /** The submission, or null; `data` is null from `expiresAt` on. */
  get(id: string): Promise<Submission | null>
  /** Compare-and-set: true if `previous.version` was still the stored one and `next` is stored now. */
  replace(previous: Submission, next: Submission): Promise<boolean>
  /** Compare-and-set removal, which leaves `audit` behind. */
  remove(previous: Submission, audit: AuditLine): Promise<boolean>
  /** Ids whose time has come at `now`, earliest first; nobody else is handed them before `until` (epoch ms). */
  lease(now: number, until: number, limit: number): Promise<string[]>
  /** Drops an id from the indexes whose record is gone. */
  forget(id: string): Promise<void>
  /** A page of undecided submissions, newest first; `before` is the `cursor` of the page above. */
  listOpen(page: { limit: number, before?: string }): Promise<OpenPage>
  /** The newest audit lines, newest first. */
  audit(limit: number): Promise<AuditLine[]>
  /** Resolves when the store answers. */
  ping(): Promise<void>
  close(): Promise<void>
}

export interface OpenPage {
  submissions: Submission[]
  /** Total of undecided submissions. */
  total: number
  /** Hand back as `before` for the next page; null on the last. */
  cursor: string | null
}

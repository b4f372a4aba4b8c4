import type { Pace } from './card-queue'
import type { AuditLine, DecisionOutcome, Submission, SubmissionRecord } from './submission'

/** True if the form data is loaded too. */
export function isComplete(submission: SubmissionRecord): submission is Submission {
  return 'data' in submission
}

/** This version cannot read the stored submission. */
export class UnreadableRecord extends Error {
  /** @param record its record, if that is readable */
  constructor(readonly submission: string, readonly record: SubmissionRecord | null = null) {
    super(`What is kept of submission ${submission} cannot be read`)
  }
}

/** The store has no room for new data. */
export class StoreFull extends Error {}

/** The idempotency key belongs to another form. */
export class KeyReused extends Error {}

/**
 * Returns the id of the submission that holds an idempotency key.
 *
 * @param holder its id and fingerprint; earlier versions stored no fingerprint
 * @throws KeyReused if the fingerprints differ
 */
export function keyHolder(holder: string, fingerprint: string | undefined): string {
  const [id, first] = holder.split(' ')
  if (first && fingerprint && first !== fingerprint) throw new KeyReused()
  return id!
}

/**
 * Stores submissions, the order of the open ones, and the time when each needs attention next. Every method rejects
 * when the store cannot be reached, in less than 2 s.
 */
export interface SubmissionStore {
  /**
   * Stores a new submission and adds it to queues, in one step. Only the newest quarantined submissions are kept.
   *
   * @throws LimitReached when its client may not send any more for now, KeyReused; nothing is stored then
   */
  create(submission: Submission, options?: CreateOptions): Promise<Created>
  /** Returns the submission, or null; `data` is null from `StoreRules.dataLivesUntil` on. @throws UnreadableRecord */
  get(id: string): Promise<Submission | null>
  /**
   * Returns the record that this process stored last, if it is cached; other processes may have changed it since.
   * Absent in stores that read without a round trip.
   */
  recall?(id: string): SubmissionRecord | null
  /**
   * Compare-and-set: resolves with `next` if `previous.version` was still stored; `next` is stored then, with `audit`
   * if given. Otherwise resolves with null. Of an ended submission only its trace is kept, for `TRACE_TTL_MS` from then
   * on.
   *
   * @param previous may be a record. Then the form data cannot be changed, only erased or kept. Kept data is read and
   * returned in the result; nothing is stored if it cannot be read
   */
  replace(previous: Submission | SubmissionRecord, next: Submission, audit?: AuditLine): Promise<Submission | null>
  /** Returns ids that are due by the store's clock, earliest first; no other caller gets them for `leaseMs`. */
  lease(leaseMs: number, limit: number): Promise<string[]>
  /** Returns ids that are due by `until`, epoch ms; earliest first. */
  upcoming(until: number, limit: number): Promise<string[]>
  /**
   * Removes an id without a record from the indexes. Or deletes everything that is kept of an unreadable submission,
   * with an audit line of who `erased` it.
   */
  forget(id: string, erased?: Pick<AuditLine, 'reviewer' | 'at'>): Promise<void>
  /**
   * A page of pending submissions; unreadable ones are listed by id. `before` is the `cursor` of the previous page, or
   * the `cursorAt` of any submission.
   *
   * @param page.only restricts the page to submissions that need a person (see `stuck`) or are assigned; or selects
   * another list
   */
  listPending(page: PageRequest): Promise<PendingPage>
  /** Same as `listPending`, without reading form data. */
  listRecords(page: PageRequest): Promise<PendingPage<SubmissionRecord>>
  /**
   * Returns audit lines that are kept, newest first.
   *
   * @param limit may be `Infinity`
   * @param since epoch ms; earlier lines are left out
   */
  audit(limit: number, since?: number): Promise<AuditLine[]>
  /** Counts events in each hour of `TALLY_WINDOW_MS`, that of `now` included; oldest first. */
  tally(now: number): Promise<HourTally[]>
  backlog(now: number): Promise<Backlog>
  /** Ids of submissions that need a person because a delivery or a card was refused or given up, oldest first. */
  stuck(limit: number): Promise<string[]>
  /** Differs after every change to any submission: a reader that finds the same revision again has missed nothing. */
  revision(): Promise<string>
  /** Reports changes to submissions; returns a function that stops it. */
  watch(watcher: StoreWatcher): () => void
  /** Resolves with null if the store accepts writes; otherwise with reason and remedy, in one line for people. */
  check(): Promise<string | null>
  close(): Promise<void>
}

/** `held`: quarantined, nobody can decide it yet. `spam`: marked as spam, which can still be revoked. */
export type List = 'pending' | 'held' | 'spam'

export interface PageRequest {
  limit: number
  before?: string
  /** `newest` when absent. */
  sort?: 'newest' | 'oldest'
  only?: 'stuck' | 'taken' | 'held' | 'spam'
}

export interface CreateOptions {
  /**
   * 64 hex digits. If another submission has held the same key for less than `IDEMPOTENCY_TTL_MS`, nothing is stored
   * and its id is returned, even if it is decided by now.
   */
  idempotencyKey?: string
  /** Eight hex digits that tell another form under the same key; contains no form data. */
  fingerprint?: string
  /** Client whose form is counted in the same step, in the same way as the store's `Limiter` counts. */
  client?: string
  /** Client whose stored bytes are counted in the same step; its form may have been counted before. */
  sender?: string
  /** Card queues that the submission enters; none by default. */
  queues?: readonly Pace[]
}

export interface Created {
  /** Id of the submission, or of the one that holds the idempotency key. */
  id: string
  /**
   * Position in each of the queues, as `CardQueueStore.enter` returns it. 0 if the queue was empty and open: the
   * submission did not enter it, and its card may be posted at once. Empty if nothing was stored.
   */
  places: readonly number[]
}

/** Rules of the lifecycle that a store needs. */
export interface StoreRules {
  /** Time when the submission is due next, epoch ms. */
  nextAttention: (submission: SubmissionRecord) => number
  /** Time until which its form data may be kept, epoch ms. */
  dataLivesUntil: (submission: SubmissionRecord) => number
  /** Parses the JSON of form data without changing a value. */
  parse: (text: string) => unknown
  /** True if it needs a person because something was refused or given up. */
  needsPerson: (submission: SubmissionRecord) => boolean
  /** True if it is assigned. */
  isTaken: (submission: SubmissionRecord) => boolean
  /** List that contains it; null if none does. */
  listOf: (submission: SubmissionRecord) => List | null
  /** True if only its trace is kept. */
  isOver: (submission: SubmissionRecord) => boolean
}

/** Interval of the `alive` calls to a watcher, ms. Pages that hear nothing for a few seconds say so. */
export const HEARTBEAT_MS = 1500

export interface StoreWatcher {
  /** Called after a change to any submission by any process; with null if changes may have been missed. */
  changed: (id: string | null) => void
  /** Called every `HEARTBEAT_MS` while changes are being received. */
  alive: () => void
}

export interface HourTally {
  /** Start of the hour, epoch ms. */
  hour: number
  /** Counts of 0 are left out. */
  counts: Partial<Record<DecisionOutcome | 'received', number>>
}

export interface Backlog {
  /** Submissions that wait for a decision or are being delivered. */
  pending: number
  /** Arrival of the oldest of them, epoch ms. */
  oldestAt: number | null
  /** Submissions with work that was due before now and is not leased. */
  overdue: number
  /** Time when the first of them was due, epoch ms. */
  overdueSince: number | null
  /** Submissions that need a person because a delivery or a card was refused or given up. */
  stuck: number
}

export interface PendingPage<Kept = Submission> {
  submissions: Kept[]
  /** Ids of unreadable submissions on this page; absent if there are none. */
  unreadable?: string[]
  /** Number of submissions in the whole list; `stuck` and `taken` do not reduce it. */
  total: number
  /** Pass it as `before` to get the next page; null on the last one. */
  cursor: string | null
}

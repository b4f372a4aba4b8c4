import type { Pace } from './card-queue'
import type { AuditLine, DecisionOutcome, Submission, SubmissionRecord } from './submission'

/** True if the form data is loaded too. */
export function isComplete(submission: SubmissionRecord): submission is Submission {
  return 'data' in submission
}

/** Error if this version cannot read a stored submission. */
export class UnreadableRecord extends Error {
  /** @param record its record, if that is readable */
  constructor(readonly submission: string, readonly record: SubmissionRecord | null = null) {
    super(`What is kept of submission ${submission} cannot be read`)
  }
}

/** Error if the store is full. */
export class StoreFull extends Error {}

/** Error if the service cannot start on this store; the message says what to do. */
export class StoreUnusable extends Error {}

/** Error if another form was sent with the same idempotency key. */
export class KeyReused extends Error {}

/**
 * Returns the id of the submission that was stored with an idempotency key.
 *
 * @param holder the stored value: id and fingerprint; earlier versions stored no fingerprint
 * @throws KeyReused if the fingerprints differ
 */
export function keyHolder(holder: string, fingerprint: string | undefined): string {
  const [id, first] = holder.split(' ')
  if (first && fingerprint && first !== fingerprint) throw new KeyReused()
  return id!
}

/**
 * Stores submissions, the order of open ones, and the time of each submission's next work. Every method rejects when
 * the store cannot be reached, in less than 2 s.
 */
export interface SubmissionStore {
  /**
   * Stores a new submission and adds it to queues, atomically. Only the newest quarantined submissions are kept.
   *
   * @throws LimitReached if its client has reached its limit, KeyReused; in both cases nothing is stored
   */
  create(submission: Submission, options?: CreateOptions): Promise<Created>
  /** Returns the submission, or null; `data` is null from `StoreRules.dataLivesUntil` on. @throws UnreadableRecord */
  get(id: string): Promise<Submission | null>
  /**
   * Returns the record that this process stored last, if cached; it may be outdated. Stores that read without a round
   * trip lack this method.
   */
  recall?(id: string): SubmissionRecord | null
  /**
   * Compare-and-set: if `previous.version` is still stored, stores `next`, with `audit` if given, and resolves with
   * `next`. Otherwise resolves with null. An ended submission is reduced to its trace, which is kept for
   * `TRACE_TTL_MS`.
   *
   * @param previous may be a record. In this case the form data can only be erased or kept. Kept data is part of the
   * result; if it cannot be read, nothing is stored
   */
  replace(previous: Submission | SubmissionRecord, next: Submission, audit?: AuditLine): Promise<Submission | null>
  /** Returns ids that are due by the store's clock, earliest first; no other caller gets them for `leaseMs`. */
  lease(leaseMs: number, limit: number): Promise<string[]>
  /** Returns ids that are due by `until`, epoch ms; earliest first. */
  upcoming(until: number, limit: number): Promise<string[]>
  /**
   * Removes an id without a record from the indexes. With `erased`, deletes everything of an unreadable submission and
   * adds an audit line that names the reviewer.
   */
  forget(id: string, erased?: Pick<AuditLine, 'reviewer' | 'at'>): Promise<void>
  /**
   * A page of pending submissions; unreadable ones are listed by id. `before` is the `cursor` of the previous page, or
   * the `cursorAt` of any submission.
   *
   * @param page.only restricts the page to an index, or selects another list
   */
  listPending(page: PageRequest): Promise<PendingPage>
  /** Same as `listPending`, without reading form data. */
  listRecords(page: PageRequest): Promise<PendingPage<SubmissionRecord>>
  /**
   * Returns the stored audit lines, newest first.
   *
   * @param limit may be `Infinity`
   * @param since epoch ms; earlier lines are left out
   */
  audit(limit: number, since?: number): Promise<AuditLine[]>
  /** Counts the events of each hour of `TALLY_WINDOW_MS`, up to the hour of `now`; oldest first. */
  tally(now: number): Promise<HourTally[]>
  backlog(now: number): Promise<Backlog>
  /** Ids of submissions that need a person because a delivery or a card was refused or given up, oldest first. */
  stuck(limit: number): Promise<string[]>
  /**
   * Returns a text that differs after every change to any submission: a reader that gets the same text again has missed
   * nothing.
   */
  revision(): Promise<string>
  /** Reports changes to submissions; returns a function that stops the reports. */
  watch(watcher: StoreWatcher): () => void
  /** Resolves with null if the store accepts writes; otherwise with reason and remedy, in one line for people. */
  check(): Promise<string | null>
  close(): Promise<void>
}

/** `held`: quarantined, nobody can decide it yet. `spam`: marked as spam, which can still be revoked. */
export type List = 'pending' | 'held' | 'spam'

/**
 * Indexes of pending submissions, each with few of them. `stuck`: a person must act. `taken`: assigned. `retrying`: a
 * delivery has failed or is put off, and will be tried again.
 */
export type Index = 'stuck' | 'taken' | 'retrying'

export interface PageRequest {
  limit: number
  before?: string
  /** Submissions to list first; the newest if absent. */
  sort?: 'newest' | 'oldest'
  only?: Index | 'held' | 'spam'
}

export interface CreateOptions {
  /**
   * 64 hex digits. If another submission was stored with this key within `IDEMPOTENCY_TTL_MS`, nothing is stored and
   * its id is returned, even if it has been decided.
   */
  idempotencyKey?: string
  /** Eight hex digits that show if another form has the same key; contains no form data. */
  fingerprint?: string
  /** Client to count this form for, in the same step, like the store's `Limiter`. */
  client?: string
  /** Client to count the stored bytes for, in the same step, even if the form was counted before. */
  sender?: string
  /** Card queues that the submission enters; none by default. */
  queues?: readonly Pace[]
}

export interface Created {
  /** Id of the new submission, or of an earlier one with the same idempotency key. */
  id: string
  /**
   * Position in each of the queues, as `CardQueueStore.enter` returns it. 0 means that the queue was empty and open:
   * the submission skipped it, and its card may be posted at once. The list is empty if nothing was stored.
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
  /** Tells for each index if the submission is in it. */
  isIn: Readonly<Record<Index, (submission: SubmissionRecord) => boolean>>
  /** List that contains the submission; null if none does. */
  listOf: (submission: SubmissionRecord) => List | null
  /** True if only its trace is kept. */
  isOver: (submission: SubmissionRecord) => boolean
}

/** Interval of the `alive` calls to a watcher, ms. Pages show a warning after a few seconds without a call. */
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
  /** Number of submissions in the whole list, even if the page shows only `stuck` or `taken` ones. */
  total: number
  /** Pass it as `before` to get the next page; null on the last one. */
  cursor: string | null
}

import type { Pace } from './card-queue'
import type { AuditLine, DecisionOutcome, Submission, SubmissionRecord } from './submission'

/** Whether the form data is at hand, too. */
export function isComplete(submission: SubmissionRecord): submission is Submission {
  return 'data' in submission
}

/** What is kept of a submission is nothing that this version reads. */
export class UnreadableRecord extends Error {
  /** @param record where that can be read */
  constructor(readonly submission: string, readonly record: SubmissionRecord | null = null) {
    super(`What is kept of submission ${submission} cannot be read`)
  }
}

/** The store has no room for anything new. */
export class StoreFull extends Error {}

/** Another form holds the idempotency key. */
export class KeyReused extends Error {}

/**
 * The submission that holds an idempotency key.
 *
 * @param holder its id and fingerprint, which earlier versions did not store
 * @throws KeyReused
 */
export function keyHolder(holder: string, fingerprint: string | undefined): string {
  const [id, first] = holder.split(' ')
  if (first && fingerprint && first !== fingerprint) throw new KeyReused()
  return id!
}

/**
 * Keeps submissions, the order of the open ones, and when each needs attention next.
 * Every method rejects when the store cannot be reached, in less than 2 s.
 */
export interface SubmissionStore {
  /**
   * Stores a new submission and places it in queues, in one step. Of those that are held, only the newest are kept.
   *
   * @throws LimitReached when its client may not send any more for now, KeyReused; nothing is stored then
   */
  create(submission: Submission, options?: CreateOptions): Promise<Created>
  /** The submission, or null; `data` is null from `expiresAt` on. @throws Unreadable */
  get(id: string): Promise<Submission | null>
  /**
   * The record that this process stored last, if it has that at hand; others may have changed it since. Absent where
   * reading is no round trip.
   */
  recall?(id: string): SubmissionRecord | null
  /**
   * Compare-and-set: resolves with `next` if `previous.version` was still the stored one and `next` is stored now, with
   * `audit` when given; else with null. Of one that is over only its trace is kept, for `TRACE_TTL_MS` from then on.
   *
   * @param previous a record does: then data are not changed but erased, are what it resolves with, and nothing is
   * stored where they cannot be read
   */
  replace(previous: Submission | SubmissionRecord, next: Submission, audit?: AuditLine): Promise<Submission | null>
  /** Ids whose time has come by the store's clock, earliest first; nobody else is handed them for `leaseMs`. */
  lease(leaseMs: number, limit: number): Promise<string[]>
  /** Ids whose time comes until then, epoch ms, or has come; earliest first. */
  upcoming(until: number, limit: number): Promise<string[]>
  /**
   * Drops an id from the indexes whose record is gone; or everything that is kept of one that cannot be read, with a
   * line of who has it `erased`.
   */
  forget(id: string, erased?: Pick<AuditLine, 'reviewer' | 'at'>): Promise<void>
  /**
   * A page of what waits or is being delivered, but what cannot be read; `before` is the `cursor` of the page above, or
   * what `cursorAt` says of any submission.
   *
   * @param page.only those that wait for a person as `stuck` has them, those that somebody has, or instead those of
   * another list
   */
  listPending(page: PageRequest): Promise<PendingPage>
  /** The same without reading what the forms said. */
  listRecords(page: PageRequest): Promise<PendingPage<SubmissionRecord>>
  /**
   * The newest audit lines of the last 30 days, newest first.
   *
   * @param limit may be `Infinity`
   * @param since epoch ms: none from before
   */
  audit(limit: number, since?: number): Promise<AuditLine[]>
  /** What happened in each of the last 24 hours up to the one of `now`, oldest first. */
  tally(now: number): Promise<HourTally[]>
  backlog(now: number): Promise<Backlog>
  /** Ids of those that wait for a person because a delivery or a card was refused or given up, oldest first. */
  stuck(limit: number): Promise<string[]>
  /** Another one after every change to any submission: who read at this one, and finds it again, has missed nothing. */
  revision(): Promise<string>
  /** Tells of changes to submissions; returns what stops it. */
  watch(watcher: StoreWatcher): () => void
  /** Null when the store takes writes; otherwise why it does not and what to change, in one line for people. */
  check(): Promise<string | null>
  close(): Promise<void>
}

/** `held`: nobody decides them yet. `spam`: what somebody may still take back. */
export type List = 'pending' | 'held' | 'spam'

export interface PageRequest {
  limit: number
  before?: string
  /** The newest first when absent. */
  sort?: 'newest' | 'oldest'
  only?: 'stuck' | 'taken' | 'held' | 'spam'
}

export interface CreateOptions {
  /**
   * 64 hex digits. While another submission has been holding the same for less than 24 h, nothing is stored and its id
   * is the answer, also when it is decided by now.
   */
  idempotencyKey?: string
  /** Eight hex digits of the form, which tell another one under the same key; without form data. */
  fingerprint?: string
  /** Client whose form is counted in the same step, as the store's `Limiter` counts. */
  client?: string
  /** Client whose stored bytes are counted in the same step; its form may have been counted before. */
  sender?: string
  /** The queues of cards into which it goes; none by default. */
  queues?: readonly Pace[]
}

export interface Created {
  /** Of the submission, or of the one that holds the idempotency key. */
  id: string
  /**
   * In each of the queues, as `CardQueueStore.enter` has it; 0 where the queue was empty and its gate open: then it has
   * not entered, and its card may be posted at once. None when nothing was stored.
   */
  places: readonly number[]
}

/** What a store has to know of the lifecycle. */
export interface StoreRules {
  /** When the submission is due next, epoch ms. */
  nextAttention: (submission: SubmissionRecord) => number
  /** When its form data has to be gone, epoch ms. */
  dataLivesUntil: (submission: SubmissionRecord) => number
  /** Reads the JSON of form data without changing a value. */
  parse: (text: string) => unknown
  /** Whether it waits for a person because something was refused or given up. */
  needsPerson: (submission: SubmissionRecord) => boolean
  /** Whether somebody has it. */
  isTaken: (submission: SubmissionRecord) => boolean
  /** The list that it is in; null when that is none. */
  listOf: (submission: SubmissionRecord) => List | null
  /** Whether it is a trace. */
  isOver: (submission: SubmissionRecord) => boolean
}

const DAY_MS = 24 * 60 * 60 * 1000
/** How long a trace is kept after its last change, ms. */
export const TRACE_TTL_MS = 7 * DAY_MS
/** The record, by then without form data, stays a week, in which its cards are told of the end, and a day; ms. */
export const RECORD_GRACE_MS = 8 * DAY_MS
/** How long an idempotency key is held, ms. */
export const IDEMPOTENCY_TTL_MS = DAY_MS
/** How long audit lines are kept, ms. */
export const AUDIT_TTL_MS = 30 * DAY_MS

/** How often a watcher hears that it is told of every change, ms: pages that hear nothing for a few seconds say so. */
export const HEARTBEAT_MS = 1500

export interface StoreWatcher {
  /** Any change to any submission, whichever process made it; null when some may have been missed. */
  changed: (id: string | null) => void
  /** Every `HEARTBEAT_MS` while it would be told of a change. */
  alive: () => void
}

export interface HourTally {
  /** When the hour began, epoch ms. */
  hour: number
  /** 0 is left out. */
  counts: Partial<Record<DecisionOutcome | 'received', number>>
}

export interface Backlog {
  /** Submissions that wait or are being delivered. */
  pending: number
  /** When the oldest of them came in, epoch ms. */
  oldestAt: number | null
  /** Submissions that something was due for before now, which nobody has taken. */
  overdue: number
  /** When the first of them was due, epoch ms. */
  overdueSince: number | null
  /** Submissions that wait for a person because a delivery or a card was refused or given up. */
  stuck: number
}

export interface PendingPage<Kept = Submission> {
  submissions: Kept[]
  /** Ids of those in their midst that cannot be read; absent for none. */
  unreadable?: string[]
  /** How many wait or are being delivered, on all pages. */
  total: number
  /** Hand back as `before` for the next page; null on the last. */
  cursor: string | null
}

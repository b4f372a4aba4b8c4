/**
 * Queues of new cards, one per room, shared by all replicas. Cards go out one at a time, in order of arrival, and never
 * faster than the room's rate. A submission enters the queue when it is stored (`SubmissionStore`), or by `enter`.
 * `take` removes it. The caller of `take` must then record in the submission how long no other process may post its
 * card. Every method rejects when the store cannot be reached, in less than 2 s.
 */
export interface CardQueueStore {
  /** Adds a submission by its time of arrival, unless it is queued already; resolves with its position, from 1. */
  enter(room: string, submission: QueuedCard): Promise<number>
  /** Removes the first submission and closes the queue for the interval; or returns the time until the next call. */
  take(pace: Pace): Promise<QueueTurn>
  /** Stops the queue for `pauseMs`; 0 opens it. */
  pause(room: string, pauseMs: number): Promise<void>
  /** Number of submissions in the queue. */
  length(room: string): Promise<number>
  /**
   * Resolves with true for the first caller only, so that a room gets each notice once. Starts anew after
   * `NOTICE_TTL_MS`, or when the notice is forgotten.
   */
  takeNotice(room: string, about: RoomNotice): Promise<boolean>
  forgetNotice(room: string, about: RoomNotice): Promise<void>
}

/** Submission in the queue */
export interface QueuedCard {
  id: string
  /** Time of arrival, epoch ms; the queue is in this order */
  receivedAt: number
}

/** Notices that a room gets once: cards are queued, forms are quarantined, the room accepts no cards. */
export type RoomNotice = 'backlog' | 'held' | 'closed'

export interface Pace {
  room: string
  /** Minimum pause between two cards, ms. */
  intervalMs: number
}

/** `waitMs` is null when the queue is empty. */
export type QueueTurn = { id: string } | { id: null, waitMs: number | null }

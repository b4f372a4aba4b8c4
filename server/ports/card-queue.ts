/**
 * Queues of new cards, one per room, shared by all replicas. Cards go out one at a time, in order of arrival, and never
 * faster than the room's rate. A submission enters with the write that stores it (`SubmissionStore`), or through
 * `enter`. `take` removes it from the queue; the caller then records in the submission how long nobody else may post
 * its card. Every method rejects when the store cannot be reached, in less than 2 s.
 */
export interface CardQueueStore {
  /**
   * Adds a submission by its time of arrival, unless it is queued already; resolves with its position, 1 being the
   * next.
   */
  enter(room: string, submission: QueuedCard): Promise<number>
  /**
   * Removes the first submission and closes the queue for the interval, or returns how long to wait before asking
   * again.
   */
  take(pace: Pace): Promise<QueueTurn>
  /** Stops the queue for `pauseMs`; 0 opens it. */
  pause(room: string, pauseMs: number): Promise<void>
  /** Number of submissions in the queue. */
  length(room: string): Promise<number>
  /**
   * Resolves with true for the first caller since the notice was forgotten, or in `NOTICE_TTL_MS`: a room gets
   * each notice once.
   */
  takeNotice(room: string, about: RoomNotice): Promise<boolean>
  forgetNotice(room: string, about: RoomNotice): Promise<void>
}

/** A submission whose card waits */
export interface QueuedCard {
  id: string
  /** Epoch ms; the order of the queue */
  receivedAt: number
}

/** Notices that a room gets once: cards wait in the queue, forms are quarantined, the room takes no cards. */
export type RoomNotice = 'backlog' | 'held' | 'closed'

export interface Pace {
  room: string
  /** Minimum pause between two cards, ms. */
  intervalMs: number
}

/** `waitMs` is null when the queue is empty. */
export type QueueTurn = { id: string } | { id: null, waitMs: number | null }

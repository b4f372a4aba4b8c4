import type { Submission } from './submission'

/**
 * The queues of new cards, one before each room, shared by all replicas: cards go out one at a time, in order of
 * arrival, never faster than the room's rate. A submission enters with the write that stores it (`SubmissionStore`), or
 * here. Whoever takes it has it out of the queue, and has its record say for how long nobody else may post its card.
 * Every method rejects when the store cannot be reached, in less than 2 s.
 */
export interface CardQueueStore {
  /** Enters the queue by its time of arrival, or is there already; resolves with its place, of which 1 is the next. */
  enter(room: string, submission: Pick<Submission, 'id' | 'receivedAt'>): Promise<number>
  /** Takes out the first, which closes the gate for the interval; or says how long to wait before asking again. */
  take(pace: Pace): Promise<QueueTurn>
  /** Nobody is let out for so long, ms; 0 opens the gate. */
  pause(room: string, pauseMs: number): Promise<void>
  /** How many wait. */
  length(room: string): Promise<number>
  /** True for the first who asks since the notice was last forgotten, or in 24 hours: a room is told of it once. */
  takeNotice(room: string, about: RoomNotice): Promise<boolean>
  forgetNotice(room: string, about: RoomNotice): Promise<void>
}

/** What is told once: that cards wait for their turn, that forms are held, that the room takes no cards. */
export type RoomNotice = 'backlog' | 'held' | 'closed'

/** A notice that nobody took back is forgotten after this, ms, so that there is another one. */
export const NOTICE_TTL_MS = 24 * 60 * 60 * 1000

export interface Pace {
  room: string
  /** Least pause between two cards, ms. */
  intervalMs: number
}

/** `waitMs` is null when nobody waits. */
export type QueueTurn = { id: string } | { id: null, waitMs: number | null }

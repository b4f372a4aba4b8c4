import type { ReviewBoard } from '../../ports/board'
import type { CardQueueStore, Entry, Leaving } from '../../ports/card-queue'
import type { Outcome } from '../../ports/delivery'
import type { Forms } from '../../ports/form'
import type { Log, Runtime } from '../../ports/runtime'
import type { SubmissionStore } from '../../ports/store'
import type { Submission, Work } from '../../ports/submission'
import { roomPauseMs, type RetryPolicy } from './backoff'

/** From here on a room is told how many cards wait. */
const BACKLOG_NOTICE = 50

/** One run of a queue ends after this, ms, so that a serverless function can end; the next sweep goes on. */
const RUN_MS = 50_000

/** Longest pause before looking again, ms: another replica may have let the queue move. */
const MAX_WAIT_MS = 1000

export interface CardQueuePorts {
  queues: CardQueueStore
  store: Pick<SubmissionStore, 'get'>
  board: Pick<ReviewBoard, 'intervalMs' | 'announce'>
  forms: Pick<Forms, 'rooms'>
  /** Posts a card: `Outbox.run`. */
  run: (submission: Submission, work: readonly Work[]) => Promise<void>
  policy: RetryPolicy
  /** The ops page that lists what waits; null when nobody can open it. */
  overviewUrl: string | null
  runtime: Runtime
  log: Log
}

/**
 * Decides whose card may be posted, and when. A room that takes any number of cards at once has no queue. In the others
 * a submission enters with the write that stores it and leaves with the write that records its attempt, posted or not:
 * so a refused card holds nobody up. It goes first when it is due again.
 */
export class CardQueue {
  private readonly running = new Set<string>()
  private readonly awaited = new Map<string, () => void>()
  /** Cards that this process may post, by room and id; until when, epoch ms. */
  private readonly granted = new Map<string, number>()

  constructor(private readonly ports: CardQueuePorts) {}

  /** How a submission enters the queues of these rooms. */
  entryOf(rooms: readonly string[]): Entry {
    const paces = rooms.filter(room => this.isPaced(room)).map(room => this.paceOf(room))
    return { paces, leaseMs: this.ports.policy.leaseMs }
  }

  /** A submission has entered, with these places. Returns the rooms in which it waits; in the others it may post. */
  entered(id: string, { paces }: Entry, places: readonly number[]): string[] {
    const rooms = paces.map(({ room }) => room)
    for (const room of rooms.filter((_, index) => places[index] === 0)) this.grant(room, id)
    const waiting = rooms.filter((_, index) => places[index] !== 0)
    this.wake(waiting)
    return waiting
  }

  /** Whether the card may be posted now; otherwise it waits in the queue. @throws when the store cannot be reached */
  async mayPost({ room, attempts }: Work, id: string): Promise<boolean> {
    if (!this.isPaced(room!)) return true
    const { queues, runtime, policy: { leaseMs } } = this.ports
    const key = keyOf(room!, id)
    const until = this.granted.get(key) ?? 0
    this.granted.delete(key)
    return until > runtime.now() || await queues.enter(this.paceOf(room!), id, { leaseMs, first: attempts > 0 }) === 0
  }

  /** What an attempt at a piece of work means to its queue: for `Outbox.apply`, which writes it with the result. */
  leavingAfter({ kind, room }: Work, outcome: Outcome<unknown>): Leaving[] {
    if (kind !== 'post' || !this.isPaced(room!)) return []
    // A rate limit, or a room that takes nothing, holds all of its cards.
    return [{ room: room!, pauseMs: outcome.ok ? 0 : roomPauseMs(outcome, this.ports.policy) }]
  }

  /** Leaves without a write of the submission, of which nothing is left or has changed. Never rejects. */
  async leave(id: string, leaving: readonly Leaving[]): Promise<void> {
    if (leaving.length === 0) return
    await this.ports.queues.leave(id, leaving).catch(error => this.ports.log.warn(
      'queue.failed', { submission: id, error },
    ))
  }

  /** Sees to it that every queue moves. Returns at once. */
  wake(rooms: readonly string[] = this.ports.forms.rooms): void {
    for (const room of rooms) {
      if (this.running.has(room) || !this.isPaced(room)) continue
      this.running.add(room)
      const run = this.drain(room)
        .catch(error => this.ports.log.warn('queue.failed', { room, error }))
        .finally(() => this.running.delete(room))
      this.ports.runtime.background(run)
    }
  }

  isPaced(room: string): boolean {
    return this.ports.board.intervalMs(room) > 0
  }

  /** Resolves when this process has let the submission's card out, on whichever room was first. */
  posted(id: string): Promise<void> {
    return new Promise(resolve => this.awaited.set(id, resolve))
  }

  /** Nobody waits for it any more. */
  forget(id: string): void {
    this.awaited.delete(id)
  }

  private async drain(room: string): Promise<void> {
    const { queues, runtime, policy: { leaseMs } } = this.ports
    const end = runtime.now() + RUN_MS
    while (runtime.now() < end) {
      const taken = await queues.take(this.paceOf(room), leaseMs)
      if (taken.id !== null) {
        await this.announceBacklog(room)
        await this.post(room, taken.id)
      }
      else if (taken.waitMs === null) {
        return queues.forgetNotice(room)
      }
      else {
        await runtime.wait(Math.min(Math.max(taken.waitMs, 1), MAX_WAIT_MS))
      }
    }
  }

  private async post(room: string, id: string): Promise<void> {
    const { store, run, queues } = this.ports
    const submission = await store.get(id)
    const work = submission?.work.find(({ kind, room: of }) => kind === 'post' && of === room)
    // Of one that is decided nobody needs a card.
    if (submission?.state === 'open' && work) {
      this.grant(room, id)
      await run(submission, [work])
    }
    else await queues.leave(id, [{ room, pauseMs: 0 }])
    this.awaited.get(id)?.()
  }

  private async announceBacklog(room: string): Promise<void> {
    const { queues, board, log, overviewUrl } = this.ports
    const waiting = await queues.length(room)
    if (waiting <= BACKLOG_NOTICE || !await queues.takeNotice(room)) return
    const outcome = await board.announce(room, `${waiting} more submissions are waiting for their cards.`, overviewUrl)
    if (!outcome.ok) log.warn('notice.failed', { room, reason: outcome.reason })
  }

  private grant(room: string, id: string): void {
    const { runtime, policy: { leaseMs } } = this.ports
    this.granted.set(keyOf(room, id), runtime.now() + leaseMs)
  }

  private paceOf(room: string) {
    return { room, intervalMs: this.ports.board.intervalMs(room) }
  }
}

function keyOf(room: string, id: string): string {
  return `${id} ${room}`
}

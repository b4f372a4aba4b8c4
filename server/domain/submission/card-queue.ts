import type { ReviewBoard } from '../../ports/board'
import type { CardQueueStore, Entry, Leaving } from '../../ports/card-queue'
import type { Outcome } from '../../ports/delivery'
import type { Forms } from '../../ports/form'
import type { Log, Runtime } from '../../ports/runtime'
import type { SubmissionStore } from '../../ports/store'
import type { Submission, Work } from '../../ports/submission'
import { roomPauseMs, type RetryPolicy } from './backoff'
import { ClosedRooms } from './closed-rooms'
import type { EventsOn } from './events'
import { QUEUE_CHECK_MS } from './lifecycle'
import { getAll } from './overview'
import { SlowRooms } from './slow-rooms'

/** From here on a room is told how many cards wait. */
const BACKLOG_NOTICE = 50

/** One run of a queue ends after this, ms, so that a serverless function can end; the next sweep goes on. */
const RUN_MS = 50_000

/** Longest pause before looking again, ms: another replica may have let the queue move. */
const MAX_WAIT_MS = 1000

export interface CardQueuePorts {
  queues: CardQueueStore
  store: Pick<SubmissionStore, 'get'>
  board: Pick<ReviewBoard, 'awaits' | 'intervalMs' | 'announce' | 'label'>
  forms: Pick<Forms, 'rooms' | 'all'>
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
  /** Rooms whose queue may have somebody to let out since the last look at it began. */
  private readonly woken = new Set<string>()
  /** Rooms whose queue cannot be reached, which is told once. */
  private readonly failing = new Set<string>()
  private readonly awaited = new Map<string, () => void>()
  /** Cards that this process may post, by room and id; until when, epoch ms. */
  private readonly granted = new Map<string, number>()
  /** How long it takes at least until those are let out that were just told to wait, by room and id, ms. */
  private readonly turns = new Map<string, number>()
  private stopped = false
  readonly closedRooms: ClosedRooms
  readonly slowRooms: SlowRooms

  constructor(private readonly ports: CardQueuePorts) {
    this.closedRooms = new ClosedRooms(ports)
    this.slowRooms = new SlowRooms(ports.runtime)
  }

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

  /**
   * Whether the card may be posted now; otherwise it waits in the queue, which moves.
   *
   * @throws when the store cannot be reached
   */
  async mayPost({ room, attempts }: Work, id: string): Promise<boolean> {
    const { queues, board, runtime, policy: { leaseMs } } = this.ports
    const isAwaited = await board.awaits(room!) !== null
    if (!this.isPaced(room!)) return !isAwaited
    const key = keyOf(room!, id)
    const isGranted = (this.granted.get(key) ?? 0) > runtime.now()
    this.granted.delete(key)
    const first = attempts > 0
    const pace = this.paceOf(room!)
    if (isGranted && !isAwaited) return true
    // Its place is kept, and it is in nobody's hands when the room is there.
    if (isGranted) await queues.leave(id, [{ room: room!, pauseMs: 0 }])
    const place = await queues.enter(pace, id, { leaseMs: isAwaited ? 0 : leaseMs, first: first || isGranted })
    if (place === 0 && !isAwaited) return true
    this.turns.set(key, (place - 1) * pace.intervalMs)
    this.wake([room!])
    return false
  }

  /** Work that has to wait is looked after later, in case it was forgotten: a card not before its turn can come. */
  putOff({ key, room = '' }: Work, id: string): EventsOn {
    const turnMs = this.turns.get(keyOf(room, id)) ?? 0
    this.turns.delete(keyOf(room, id))
    const until = this.ports.runtime.now() + Math.max(QUEUE_CHECK_MS, turnMs)
    return () => [{ type: 'put-off', key, until }]
  }

  /** An attempt was made: where a room takes no cards any more, others are told. */
  tried({ kind, room }: Work, outcome: Outcome<unknown> | 'waiting'): void {
    const telling = kind === 'post' && outcome !== 'waiting' && this.closedRooms.heard(room!, outcome)
    if (telling) this.ports.runtime.background(telling)
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

  /** Lets no more cards out: who waits is left to another process. A card that is being posted goes on. */
  stop(): void {
    this.stopped = true
    for (const answer of this.awaited.values()) answer()
  }

  /** Sees to it that every queue moves. Returns at once. */
  wake(rooms: readonly string[] = this.ports.forms.rooms): void {
    for (const room of rooms) {
      if (this.stopped || !this.isPaced(room)) continue
      this.woken.add(room)
      if (this.running.has(room)) continue
      this.running.add(room)
      const { runtime, log } = this.ports
      runtime.background(runtime.apart(() => this.drain(room).then(() => void this.failing.delete(room), (error) => {
        if (!this.failing.has(room)) log.warn('queue.failed', { room, error })
        this.failing.add(room)
      })))
    }
  }

  /** Somebody has mended these rooms: their next cards need not wait for the end of a pause. */
  async reopen(rooms: readonly string[]): Promise<void> {
    await Promise.all(rooms.filter(room => this.isPaced(room)).map(room => this.ports.queues.reopen(room)))
    this.wake(rooms)
  }

  /** Whether all these rooms have a channel by now. */
  async areThere(rooms: readonly string[]): Promise<boolean> {
    const awaited = await Promise.all(rooms.map(room => this.ports.board.awaits(room)))
    return awaited.every(reason => reason === null)
  }

  isPaced(room: string): boolean {
    return this.ports.board.intervalMs(room) > 0
  }

  /** Resolves when this process has let the submission's card out, on whichever room was first, or lets none out. */
  posted(id: string): Promise<void> {
    return new Promise((resolve) => {
      if (this.stopped) resolve()
      else this.awaited.set(id, resolve)
    })
  }

  /** Nobody waits for it any more. */
  forget(id: string): void {
    this.awaited.delete(id)
  }

  private async drain(room: string): Promise<void> {
    const end = this.ports.runtime.now() + RUN_MS
    try {
      // Leaving has to happen in the same step as the last look at `woken`.
      do {
        this.woken.delete(room)
        await this.letOut(room, end)
      } while (this.woken.has(room) && !this.isOver(end))
    }
    finally {
      this.running.delete(room)
    }
  }

  /** @param end when it stops, epoch ms, if anybody waits until then */
  private async letOut(room: string, end: number): Promise<void> {
    const { queues, board, runtime, policy: { leaseMs } } = this.ports
    while (!this.isOver(end) && await board.awaits(room) === null) {
      const taken = await queues.take(this.paceOf(room), leaseMs)
      if (taken.id !== null) {
        await this.announceBacklog(room)
        await this.post(room, taken.id)
      }
      else if (taken.waitMs === null) {
        return queues.forgetNotice(room, 'backlog')
      }
      else {
        await runtime.wait(Math.min(Math.max(taken.waitMs, 1), MAX_WAIT_MS))
      }
    }
  }

  private isOver(end: number): boolean {
    return this.stopped || this.ports.runtime.now() >= end
  }

  private async post(room: string, id: string): Promise<void> {
    const { store, run, queues } = this.ports
    const [submission] = await getAll(store, [id])
    const work = submission?.work.find(({ kind, room: of }) => kind === 'post' && of === room)
    // Of one that is decided nobody needs a card; one that cannot be read has none.
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
    if (waiting <= BACKLOG_NOTICE || !await queues.takeNotice(room, 'backlog')) return
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

import type { ReviewBoard } from '../../ports/board'
import type { CardQueueStore, Pace } from '../../ports/card-queue'
import type { Outcome } from '../../ports/delivery'
import type { Forms } from '../../ports/form'
import type { Log, Runtime } from '../../ports/runtime'
import type { Submission } from '../../ports/submission'
import { roomPauseMs, type RetryPolicy } from '../outbox/backoff'

/** From here on a room is told how many cards wait. */
const BACKLOG_NOTICE = 50

/** One run of a queue ends after this, ms, so that a serverless function can end; the next sweep goes on. */
const RUN_MS = 50_000

/** A card that waits is looked after no earlier than this, ms, in case its queue forgot it. */
const QUEUE_CHECK_MS = 60_000

/** Longest pause before looking again, ms: another replica may have let the queue move. */
const MAX_WAIT_MS = 1000

export interface CardQueuePorts {
  queues: CardQueueStore
  board: Pick<ReviewBoard, 'awaits' | 'intervalMs' | 'announce' | 'label'>
  forms: Pick<Forms, 'rooms' | 'all'>
  /** Posts the card that has its turn: `Outbox.post`. */
  post: (id: string, room: string) => Promise<void>
  policy: RetryPolicy
  /** The ops page that lists what waits; null when nobody can open it. */
  overviewUrl: string | null
  runtime: Runtime
  log: Log
}

/**
 * Decides whose card may be posted, and when. A room that takes any number of cards at once has no queue. In the others
 * a submission enters with the write that stores it, and is out of the queue when it has its turn: a refused card holds
 * nobody up. It enters again when it is due again, by its time of arrival.
 */
export class CardQueue {
  private readonly running = new Set<string>()
  /** Rooms whose queue may have somebody to let out since the last look at it began. */
  private readonly woken = new Set<string>()
  /** Rooms whose queue cannot be reached, which is told once. */
  private readonly failing = new Set<string>()
  private readonly awaited = new Map<string, () => void>()
  private stopped = false
  readonly closedRooms: ClosedRooms
  readonly slowRooms: SlowRooms

  constructor(private readonly ports: CardQueuePorts) {
    this.closedRooms = new ClosedRooms(ports)
    this.slowRooms = new SlowRooms(ports.runtime)
  }

  /** The queues of those rooms that have one. */
  queuesOf(rooms: readonly string[]): Pace[] {
    return rooms.filter(room => this.isPaced(room)).map(room => this.paceOf(room))
  }

  /** A submission has entered, with these places. Returns the rooms in which it waits; in the others it may post. */
  entered(queues: readonly Pace[], places: readonly number[]): string[] {
    const waiting = queues.map(({ room }) => room).filter((_, index) => places[index] !== 0)
    this.wake(waiting)
    return waiting
  }

  /**
   * Null when the card may be posted now; else it waits, and this is when it is looked after in case the queue forgot
   * it, epoch ms.
   *
   * @throws when the store cannot be reached
   */
  async waitsUntil(room: string, submission: Submission, hasTurn: boolean): Promise<number | null> {
    const { queues, board, runtime } = this.ports
    const isAwaited = await board.awaits(room) !== null
    if (!isAwaited && (hasTurn || !this.isPaced(room))) return null
    const place = this.isPaced(room) ? await queues.enter(room, submission) : 1
    this.wake([room])
    return runtime.now() + Math.max(QUEUE_CHECK_MS, (place - 1) * this.paceOf(room).intervalMs)
  }

  /**
   * A card was tried: where its room takes no cards any more, others are told. A rate limit, or a room that takes
   * nothing, holds all of its cards. Never rejects.
   */
  async tried(room: string, outcome: Outcome<unknown>): Promise<void> {
    const { queues, runtime, policy, log } = this.ports
    const telling = this.closedRooms.heard(room, outcome)
    if (telling) runtime.background(telling)
    const pauseMs = outcome.ok || !this.isPaced(room) ? 0 : roomPauseMs(outcome, policy)
    if (pauseMs > 0) await queues.pause(room, pauseMs).catch(error => log.warn('queue.failed', { room, error }))
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
      runtime.background(runtime.detached(() => this.drain(room).then(() => void this.failing.delete(room), (error) => {
        if (!this.failing.has(room)) log.warn('queue.failed', { room, error })
        this.failing.add(room)
      })))
    }
  }

  /** Somebody has mended these rooms: their next cards need not wait for the end of a pause. */
  async reopen(rooms: readonly string[]): Promise<void> {
    await Promise.all(rooms.filter(room => this.isPaced(room)).map(room => this.ports.queues.pause(room, 0)))
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
    const { queues, board, runtime } = this.ports
    while (!this.isOver(end) && await board.awaits(room) === null) {
      const taken = await queues.take(this.paceOf(room))
      if (taken.id !== null) {
        await this.announceBacklog(room)
        await this.ports.post(taken.id, room)
        this.awaited.get(taken.id)?.()
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

  private async announceBacklog(room: string): Promise<void> {
    const { queues, board, log, overviewUrl } = this.ports
    // With the one that has its turn.
    const waiting = await queues.length(room) + 1
    if (waiting <= BACKLOG_NOTICE || !await queues.takeNotice(room, 'backlog')) return
    const outcome = await board.announce(room, `${waiting} more submissions are waiting for their cards.`, overviewUrl)
    if (!outcome.ok) log.warn('notice.failed', { room, reason: outcome.reason })
  }

  private paceOf(room: string): Pace {
    return { room, intervalMs: this.ports.board.intervalMs(room) }
  }
}

export interface ClosedRoomsPorts {
  queues: Pick<CardQueueStore, 'takeNotice' | 'forgetNotice'>
  board: Pick<ReviewBoard, 'announce' | 'label'>
  forms: Pick<Forms, 'all'>
  /** The ops page that lists what waits; null when nobody can open it. */
  overviewUrl: string | null
  log: Log
}

/** An archived channel, or one without the bot, takes no cards: whoever is in the other rooms of its forms is told. */
export class ClosedRooms {
  /** What each room was last, as far as this process knows. */
  private readonly rooms = new Map<string, 'open' | 'closed'>()

  constructor(private readonly ports: ClosedRoomsPorts) {}

  /** What became of a post; null when that is no news. The promise never rejects. */
  heard(room: string, outcome: Outcome<unknown>): Promise<void> | null {
    // An earlier process may have told of it.
    if (outcome.ok) return this.rooms.get(room) === 'open' ? null : this.opened(room)
    if (!outcome.permanent || outcome.content || this.rooms.get(room) === 'closed') return null
    return this.shut(room, outcome.reason)
  }

  /** It takes cards again. Never rejects. */
  opened(room: string): Promise<void> {
    return this.told(room, 'open', queues => queues.forgetNotice(room, 'closed'))
  }

  /** It takes no cards any more, as one replica found. Never rejects. */
  shut(room: string, reason: string): Promise<void> {
    return this.told(room, 'closed', async (queues) => {
      if (await queues.takeNotice(room, 'closed')) await this.announce(room, reason)
    })
  }

  private async told(
    room: string, state: 'open' | 'closed', tell: (queues: ClosedRoomsPorts['queues']) => Promise<void>,
  ): Promise<void> {
    const { queues, log } = this.ports
    this.rooms.set(room, state)
    await tell(queues).catch((error) => {
      // The next post says it again.
      this.rooms.delete(room)
      log.warn('notice.failed', { room, error })
    })
  }

  private async announce(room: string, reason: string): Promise<void> {
    const { board, forms, overviewUrl, log } = this.ports
    const sharing = forms.all.filter(({ rooms }) => rooms.includes(room)).flatMap(({ rooms }) => rooms)
    const [, channel] = room.split(/\/(.*)/s)
    const name = channel ? `the channel ${channel} of ${board.label(room)}` : board.label(room)
    const text = `No cards reach ${name} any more: ${reason} Until then its forms are decided elsewhere.`
    for (const other of new Set(sharing.filter(other => other !== room))) {
      const outcome = await board.announce(other, text, overviewUrl)
      if (!outcome.ok) log.warn('notice.failed', { room: other, reason: outcome.reason })
    }
  }
}

/** How long a sender waits for the cards, ms. The answer is the same after that: the cards are outstanding work. */
export const CARD_PATIENCE_MS = 2500

/** Rooms whose platform takes longer over a card than a sender waits. Each process finds out for itself. */
export class SlowRooms {
  private readonly slow = new Set<string>()
  /** Cards that are being posted: when each began, epoch ms. */
  private readonly running = new Set<{ room: string, startedAt: number }>()

  constructor(private readonly runtime: Pick<Runtime, 'now'>) {}

  /** Times a post. The latest that was answered decides whether its room is slow. */
  async timed<T>(room: string, post: Promise<T>): Promise<T> {
    const attempt = { room, startedAt: this.runtime.now() }
    this.running.add(attempt)
    try {
      return await post
    }
    finally {
      this.running.delete(attempt)
      if (this.isLate(attempt)) this.slow.add(room)
      else this.slow.delete(room)
    }
  }

  has(room: string): boolean {
    return this.slow.has(room) || [...this.running].some(attempt => attempt.room === room && this.isLate(attempt))
  }

  private isLate({ startedAt }: { startedAt: number }): boolean {
    return this.runtime.now() - startedAt >= CARD_PATIENCE_MS
  }
}

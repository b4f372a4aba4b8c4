import { english } from '../../../shared/texts'
import type { CardQueueStore, Pace } from '../../ports/card-queue'
import type { Outcome } from '../../ports/delivery'
import type { Runtime } from '../../ports/runtime'
import type { Submission } from '../../ports/submission'
import type { Context } from '../context'
import { roomPauseMs } from '../outbox/backoff'
import { Drains } from '../outbox/drains'

/** Max cards that wait in a room without a notice of their number. */
const BACKLOG_NOTICE = 50

/** Min time until a waiting card is checked, ms, in case its queue has lost it. */
const QUEUE_CHECK_MS = 60_000

/** Max pause between checks of a queue, ms: another replica may have changed it. */
const MAX_WAIT_MS = 1000

/**
 * Decides which card may be posted, and when. A room without a rate limit has no queue. In other rooms a submission
 * enters the queue with the write that stores it. It leaves the queue on its turn, so that a refused card does not
 * block the next ones. When its retry is due it enters again, sorted by its time of arrival.
 */
export class CardQueue {
  private readonly drains: Drains
  private readonly postWaiters = new Map<string, () => void>()
  readonly closedRooms: ClosedRooms
  readonly slowRooms: SlowRooms

  /** @param post posts one card, when its turn comes: `Outbox.post` */
  constructor(
    private readonly context: Context, private readonly post: (id: string, room: string) => Promise<void>,
  ) {
    this.drains = new Drains(context.runtime, context.log, (room, isOver) => this.postDueCards(room, isOver))
    this.closedRooms = new ClosedRooms(context)
    this.slowRooms = new SlowRooms(context.runtime)
  }

  /** Returns the queues of the rooms that have one. */
  queuesOf(rooms: readonly string[]): Pace[] {
    return rooms.filter(room => this.isPaced(room)).map(room => this.paceOf(room))
  }

  /** Wakes the queues in which a new card waits. Returns their rooms; in all other rooms the card may be posted now. */
  entered(queues: readonly Pace[], places: readonly number[]): string[] {
    const waitingRooms = queues.map(({ room }) => room).filter((_, index) => places[index] !== 0)
    this.wake(waitingRooms)
    return waitingRooms
  }

  /**
   * Returns null if the card may be posted now; otherwise the time of the next check, epoch ms, in case its queue has
   * lost the card.
   *
   * @throws when the store cannot be reached
   */
  async waitsUntil(room: string, submission: Submission, hasTurn: boolean): Promise<number | null> {
    const { queues, board, runtime } = this.context
    const isAwaited = await board.awaits(room) !== null
    if (!isAwaited && (hasTurn || !this.isPaced(room))) return null
    const position = this.isPaced(room) ? await queues.enter(room, submission) : 1
    this.wake([room])
    return runtime.now() + Math.max(QUEUE_CHECK_MS, (position - 1) * this.paceOf(room).intervalMs)
  }

  /**
   * Handles the result of a post. If the room accepts no cards any more, announces that in other rooms. After a rate
   * limit, or if the room refuses everything, all cards of the room pause. Never rejects.
   */
  async tried(room: string, outcome: Outcome<unknown>): Promise<void> {
    const { queues, runtime, policy, log } = this.context
    const announcement = this.closedRooms.heard(room, outcome)
    if (announcement) runtime.background(announcement)
    const pauseMs = outcome.ok || !this.isPaced(room) ? 0 : roomPauseMs(outcome, policy)
    if (pauseMs > 0) await queues.pause(room, pauseMs).catch(error => log.warn('queue.failed', { room, error }))
  }

  /** Posts no more cards and leaves the waiting ones to other processes. A post in progress continues. */
  stop(): void {
    this.drains.stop()
    for (const resolve of this.postWaiters.values()) resolve()
  }

  /** Starts to post the queued cards of these rooms, unless that is in progress. Returns at once. */
  wake(rooms: readonly string[] = this.context.forms.rooms): void {
    this.drains.wake(rooms.filter(room => this.isPaced(room)))
  }

  /** Ends the pause of these rooms, because somebody has fixed them. */
  async reopen(rooms: readonly string[]): Promise<void> {
    await Promise.all(rooms.filter(room => this.isPaced(room)).map(room => this.context.queues.pause(room, 0)))
    this.wake(rooms)
  }

  /** True if all these rooms have a channel by now. */
  async areThere(rooms: readonly string[]): Promise<boolean> {
    const reasons = await Promise.all(rooms.map(room => this.context.board.awaits(room)))
    return reasons.every(reason => reason === null)
  }

  isPaced(room: string): boolean {
    return this.context.board.intervalMs(room) > 0
  }

  /** Resolves when this process has posted the submission's card in one room, or when it stops posting. */
  posted(id: string): Promise<void> {
    return new Promise((resolve) => {
      if (this.drains.hasStopped) resolve()
      else this.postWaiters.set(id, resolve)
    })
  }

  /** Ends a wait that `posted` began. */
  forget(id: string): void {
    this.postWaiters.delete(id)
  }

  private async postDueCards(room: string, isOver: () => boolean): Promise<void> {
    const { queues, board, runtime } = this.context
    while (!isOver() && await board.awaits(room) === null) {
      const turn = await queues.take(this.paceOf(room))
      if (turn.id !== null) {
        await this.announceBacklog(room)
        await this.post(turn.id, room)
        this.postWaiters.get(turn.id)?.()
      }
      else if (turn.waitMs === null) {
        return queues.forgetNotice(room, 'backlog')
      }
      else {
        await runtime.wait(Math.min(Math.max(turn.waitMs, 1), MAX_WAIT_MS))
      }
    }
  }

  private async announceBacklog(room: string): Promise<void> {
    const { queues, board, log, siteUrl, texts = english } = this.context
    // Count the card that is posted now, too.
    const waitingCount = await queues.length(room) + 1
    if (waitingCount <= BACKLOG_NOTICE || !await queues.takeNotice(room, 'backlog')) return
    const text = texts('card.notice.backlog', { count: String(waitingCount) })
    const outcome = await board.announce(room, text, siteUrl)
    if (!outcome.ok) log.warn('notice.failed', { room, reason: outcome.reason })
  }

  private paceOf(room: string): Pace {
    return { room, intervalMs: this.context.board.intervalMs(room) }
  }
}

/** Announces closed rooms in the other rooms of their forms: archived channels, and channels without the bot. */
export class ClosedRooms {
  /** Last state of each room that this process has seen. */
  private readonly states = new Map<string, 'open' | 'closed'>()

  constructor(private readonly context: Context) {}

  /** Handles the result of a post; returns null if the state of the room is unchanged. The promise never rejects. */
  heard(room: string, outcome: Outcome<unknown>): Promise<void> | null {
    // On the first success, clear the notice of a closed room: another process may have posted it.
    if (outcome.ok) return this.states.get(room) === 'open' ? null : this.opened(room)
    if (!outcome.permanent || outcome.content || this.states.get(room) === 'closed') return null
    return this.shut(room, outcome.reason)
  }

  /** Records that the room accepts cards again. Never rejects. */
  opened(room: string): Promise<void> {
    return this.recordState(room, 'open', queues => queues.forgetNotice(room, 'closed'))
  }

  /** Records that the room accepts no cards any more; the first replica announces it. Never rejects. */
  shut(room: string, reason: string): Promise<void> {
    return this.recordState(room, 'closed', async (queues) => {
      if (await queues.takeNotice(room, 'closed')) await this.announce(room, reason)
    })
  }

  private async recordState(
    room: string, state: 'open' | 'closed', updateNotice: (queues: CardQueueStore) => Promise<void>,
  ): Promise<void> {
    const { queues, log } = this.context
    this.states.set(room, state)
    await updateNotice(queues).catch((error) => {
      // Forget the state, so that the next post tries again.
      this.states.delete(room)
      log.warn('notice.failed', { room, error })
    })
  }

  private async announce(room: string, reason: string): Promise<void> {
    const { board, forms, siteUrl, texts = english, log } = this.context
    const sharingRooms = forms.all.filter(({ rooms }) => rooms.includes(room)).flatMap(({ rooms }) => rooms)
    const [, channel] = room.split(/\/(.*)/s)
    const platform = board.label(room)
    const name = channel ? texts('card.notice.channel', { channel, platform }) : platform
    const text = texts('card.notice.closed', { room: name, reason })
    for (const otherRoom of new Set(sharingRooms.filter(otherRoom => otherRoom !== room))) {
      const outcome = await board.announce(otherRoom, text, siteUrl)
      if (!outcome.ok) log.warn('notice.failed', { room: otherRoom, reason: outcome.reason })
    }
  }
}

/** Max time that a sender waits for cards, ms. The answer is the same without them: posting continues afterwards. */
export const CARD_PATIENCE_MS = 2500

/** Rooms where posting a card takes longer than a sender waits. Each process measures for itself. */
export class SlowRooms {
  private readonly slowRooms = new Set<string>()
  /** Posts in progress; `startedAt` in epoch ms. */
  private readonly attempts = new Set<{ room: string, startedAt: number }>()

  constructor(private readonly runtime: Runtime) {}

  /** Measures the duration of a post. The latest finished post decides if its room counts as slow. */
  async timed<T>(room: string, post: Promise<T>): Promise<T> {
    const attempt = { room, startedAt: this.runtime.now() }
    this.attempts.add(attempt)
    try {
      return await post
    }
    finally {
      this.attempts.delete(attempt)
      if (this.isLate(attempt)) this.slowRooms.add(room)
      else this.slowRooms.delete(room)
    }
  }

  has(room: string): boolean {
    return this.slowRooms.has(room) || [...this.attempts].some(attempt => attempt.room === room && this.isLate(attempt))
  }

  private isLate({ startedAt }: { startedAt: number }): boolean {
    return this.runtime.now() - startedAt >= CARD_PATIENCE_MS
  }
}

/** Min time in quarantine before a room gets the notice, ms: people who often open the page need none. */
const QUIET_MS = 60 * 60 * 1000

/** Interval between searches of one process for quarantined forms, ms. */
const SEARCH_INTERVAL_MS = 10 * 60 * 1000

/** Page request for quarantined submissions: records only, because their data may be 256 KiB each. */
const PAGE_REQUEST = { limit: 250, only: 'held' } as const

/** Notifies each room once a day of its quarantined submissions, if people can open the page that lists them. */
export class HeldNotice {
  /** Time of the next search, epoch ms. */
  private nextSearchAt = 0

  constructor(private readonly context: Context) {}

  /** Notifies each room, unless another process was faster. Never rejects. */
  async tell(): Promise<void> {
    const { siteUrl, runtime, log } = this.context
    if (siteUrl === null || runtime.now() < this.nextSearchAt) return
    try {
      const counts = await this.countByRoom(runtime.now() - QUIET_MS)
      this.nextSearchAt = runtime.now() + SEARCH_INTERVAL_MS
      for (const [room, count] of counts) await this.announce(room, count, `${siteUrl}/?state=held`)
    }
    catch (error) {
      log.warn('notice.failed', { error })
    }
  }

  private async announce(room: string, count: number, url: string): Promise<void> {
    const { queues, board, texts = english, log } = this.context
    if (!await queues.takeNotice(room, 'held')) return
    const outcome = await board.announce(room, texts('card.notice.held', { count }), url)
    if (outcome.ok) return
    log.warn('notice.failed', { room, reason: outcome.reason })
    await queues.forgetNotice(room, 'held')
  }

  /** Counts the submissions of each room that were quarantined at `cutoffAt` or earlier. */
  private async countByRoom(cutoffAt: number): Promise<Map<string, number>> {
    const { store, forms } = this.context
    const counts = new Map<string, number>()
    for (let before: string | undefined; ;) {
      const { submissions, cursor } = await store.listRecords({ ...PAGE_REQUEST, before })
      for (const { form, receivedAt } of submissions) {
        if (receivedAt > cutoffAt) continue
        for (const room of forms.of(form).rooms) counts.set(room, (counts.get(room) ?? 0) + 1)
      }
      if (cursor === null) return counts
      before = cursor
    }
  }
}

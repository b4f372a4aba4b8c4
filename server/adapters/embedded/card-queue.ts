import {
  NOTICE_TTL_MS, type CardQueueStore, type Entry, type Leaving, type Notice, type Pace, type Taken,
} from '../../ports/card-queue'

interface Queue {
  /** Id → until when somebody has it, epoch ms; in order of arrival. */
  waiting: Map<string, number>
  /** Epoch ms from which the next may go. */
  opensAt: number
  /** Of what the room was told, and until when that lasts, epoch ms. */
  notices: Map<Notice, number>
}

/** The queues of cards in memory, for one process. After a restart the sweep puts everybody back. */
export class EmbeddedCardQueue implements CardQueueStore {
  private readonly queues = new Map<string, Queue>()

  /** @param now epoch ms */
  constructor(private readonly now: () => number) {}

  /** As the store does it for a new submission. */
  enterAll(id: string, { paces, leaseMs }: Entry): number[] {
    return paces.map(pace => this.place(pace, id, leaseMs, false))
  }

  async enter(
    pace: Pace, id: string, { leaseMs, first = false }: { leaseMs: number, first?: boolean },
  ): Promise<number> {
    return this.place(pace, id, leaseMs, first)
  }

  async take({ room, intervalMs }: Pace, leaseMs: number): Promise<Taken> {
    const queue = this.queue(room)
    const now = this.now()
    if (queue.waiting.size === 0) return { id: null, waitMs: null }
    if (queue.opensAt > now) return { id: null, waitMs: queue.opensAt - now }
    for (const [id, takenUntil] of queue.waiting) {
      if (takenUntil > now) continue
      queue.waiting.set(id, now + leaseMs)
      queue.opensAt = now + intervalMs
      return { id }
    }
    return { id: null, waitMs: Math.min(...queue.waiting.values()) - now }
  }

  async leave(id: string, leaving: readonly Leaving[]): Promise<void> {
    for (const { room, pauseMs } of leaving) {
      const queue = this.queue(room)
      if (pauseMs > 0) queue.opensAt = this.now() + pauseMs
      queue.waiting.delete(id)
    }
  }

  async reopen(room: string): Promise<void> {
    this.queue(room).opensAt = 0
  }

  async length(room: string): Promise<number> {
    return this.queue(room).waiting.size
  }

  async takeNotice(room: string, about: Notice): Promise<boolean> {
    const { notices } = this.queue(room)
    const isFirst = (notices.get(about) ?? 0) <= this.now()
    if (isFirst) notices.set(about, this.now() + NOTICE_TTL_MS)
    return isFirst
  }

  async forgetNotice(room: string, about: Notice): Promise<void> {
    this.queue(room).notices.delete(about)
  }

  private place({ room, intervalMs }: Pace, id: string, leaseMs: number, first: boolean): number {
    const queue = this.queue(room)
    const now = this.now()
    if (!queue.waiting.has(id)) {
      const atOnce = queue.waiting.size === 0 && queue.opensAt <= now
      const place: [string, number] = [id, atOnce ? now + leaseMs : 0]
      if (first) queue.waiting = new Map([place, ...queue.waiting])
      else queue.waiting.set(...place)
      if (atOnce) {
        queue.opensAt = now + intervalMs
        return 0
      }
    }
    return [...queue.waiting.keys()].indexOf(id) + 1
  }

  private queue(room: string): Queue {
    const known = this.queues.get(room)
    if (known) return known
    const queue: Queue = { waiting: new Map(), opensAt: 0, notices: new Map() }
    this.queues.set(room, queue)
    return queue
  }
}

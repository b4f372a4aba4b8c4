import { NOTICE_TTL_MS } from '../../../shared/lifetimes'
import type { CardQueueStore, Pace, QueuedCard, QueueTurn, RoomNotice } from '../../ports/card-queue'

interface Queue {
  /** Oldest first. */
  submissions: QueuedCard[]
  /** Time from which the next card may go, epoch ms. */
  opensAt: number
  /** Notices sent to the room, each with its end, epoch ms. */
  notices: Map<RoomNotice, number>
}

/** Keeps the card queues in memory, for one process. After a restart the sweep adds all submissions again. */
export class EmbeddedCardQueue implements CardQueueStore {
  private readonly queues = new Map<string, Queue>()

  /** @param now epoch ms */
  constructor(private readonly now: () => number) {}

  async enter(room: string, { id, receivedAt }: QueuedCard): Promise<number> {
    const { submissions } = this.queue(room)
    if (!submissions.some(each => each.id === id)) {
      const position = submissions.findIndex(each => each.receivedAt >= receivedAt)
      submissions.splice(position < 0 ? submissions.length : position, 0, { id, receivedAt })
    }
    return submissions.findIndex(each => each.id === id) + 1
  }

  /** Returns the place of a submission that was just stored; 0 if its card may be posted at once. */
  placeOf({ room, intervalMs }: Pace, { id, receivedAt }: QueuedCard): number {
    const queue = this.queue(room)
    if (queue.submissions.length > 0 || queue.opensAt > this.now()) return queue.submissions.push({ id, receivedAt })
    queue.opensAt = this.now() + intervalMs
    return 0
  }

  async take({ room, intervalMs }: Pace): Promise<QueueTurn> {
    const queue = this.queue(room)
    const now = this.now()
    if (queue.submissions.length === 0) return { id: null, waitMs: null }
    if (queue.opensAt > now) return { id: null, waitMs: queue.opensAt - now }
    queue.opensAt = now + intervalMs
    return { id: queue.submissions.shift()!.id }
  }

  async pause(room: string, pauseMs: number): Promise<void> {
    this.queue(room).opensAt = pauseMs > 0 ? this.now() + pauseMs : 0
  }

  async length(room: string): Promise<number> {
    return this.queue(room).submissions.length
  }

  async takeNotice(room: string, about: RoomNotice): Promise<boolean> {
    const { notices } = this.queue(room)
    const isFirst = (notices.get(about) ?? 0) <= this.now()
    if (isFirst) notices.set(about, this.now() + NOTICE_TTL_MS)
    return isFirst
  }

  async forgetNotice(room: string, about: RoomNotice): Promise<void> {
    this.queue(room).notices.delete(about)
  }

  private queue(room: string): Queue {
    const existing = this.queues.get(room)
    if (existing) return existing
    const queue: Queue = { submissions: [], opensAt: 0, notices: new Map() }
    this.queues.set(room, queue)
    return queue
  }
}

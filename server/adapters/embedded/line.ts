import type { CardLine, Taken, Pace } from '../../ports/line'

interface Queue {
  /** Id → until when somebody has it, epoch ms; in order of arrival. */
  waiting: Map<string, number>
  /** Epoch ms from which the next may go. */
  opensAt: number
  announced: boolean
}

/** The line of cards in memory, for one process. After a restart the sweep puts everybody back in line. */
export class EmbeddedCardLine implements CardLine {
  private readonly queues = new Map<string, Queue>()

  /** @param now epoch ms */
  constructor(private readonly now: () => number) {}

  async enter({ room, intervalMs }: Pace, id: string, { leaseMs, first = false }: { leaseMs: number, first?: boolean }): Promise<number> {
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

  async leave(room: string, id: string): Promise<void> {
    this.queue(room).waiting.delete(id)
  }

  async close(room: string, ms: number): Promise<void> {
    this.queue(room).opensAt = this.now() + ms
  }

  async length(room: string): Promise<number> {
    return this.queue(room).waiting.size
  }

  async takeNotice(room: string): Promise<boolean> {
    const queue = this.queue(room)
    const first = !queue.announced
    queue.announced = true
    return first
  }

  async forgetNotice(room: string): Promise<void> {
    this.queue(room).announced = false
  }

  private queue(room: string): Queue {
    const known = this.queues.get(room)
    if (known) return known
    const queue: Queue = { waiting: new Map(), opensAt: 0, announced: false }
    this.queues.set(room, queue)
    return queue
  }
}

import type { CardLine, Taken, Turn } from '../../ports/line'

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

  async enter({ room, now, intervalMs }: Turn, id: string, until: number): Promise<number> {
    const queue = this.queue(room)
    if (!queue.waiting.has(id)) {
      const first = queue.waiting.size === 0 && queue.opensAt <= now
      queue.waiting.set(id, first ? until : 0)
      if (first) {
        queue.opensAt = now + intervalMs
        return 0
      }
    }
    return [...queue.waiting.keys()].indexOf(id) + 1
  }

  async take({ room, now, intervalMs }: Turn, until: number): Promise<Taken> {
    const queue = this.queue(room)
    if (queue.waiting.size === 0) return { id: null, waitMs: null }
    if (queue.opensAt > now) return { id: null, waitMs: queue.opensAt - now }
    for (const [id, takenUntil] of queue.waiting) {
      if (takenUntil > now) continue
      queue.waiting.set(id, until)
      queue.opensAt = now + intervalMs
      return { id }
    }
    return { id: null, waitMs: Math.min(...queue.waiting.values()) - now }
  }

  async leave(room: string, id: string): Promise<void> {
    this.queue(room).waiting.delete(id)
  }

  async putOff(room: string, id: string, until: number): Promise<void> {
    const { waiting } = this.queue(room)
    if (waiting.has(id)) waiting.set(id, until)
  }

  async close(room: string, ms: number): Promise<void> {
    this.queue(room).opensAt = Date.now() + ms
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

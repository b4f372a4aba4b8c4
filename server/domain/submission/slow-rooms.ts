import type { Runtime } from '../../ports/runtime'

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

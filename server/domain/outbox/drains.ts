import type { Log, Runtime } from '../../ports/runtime'

/** Max run of one queue, ms, so that a serverless function can end. The next sweep continues the queue. */
const RUN_MS = 50_000

/** Runs at most one drain of each queue at a time, and another one if it was woken meanwhile. */
export class Drains {
  private readonly draining = new Set<string>()
  /** Queues woken since their last check began. */
  private readonly woken = new Set<string>()
  /** Queues that cannot be reached; logged once for each outage. */
  private readonly failing = new Set<string>()
  private isStopped = false

  /** @param drain works off a queue until it is empty, or until `isOver` */
  constructor(
    private readonly runtime: Runtime, private readonly log: Log,
    private readonly drain: (queue: string, isOver: () => boolean) => Promise<void>,
  ) {}

  get hasStopped(): boolean {
    return this.isStopped
  }

  /** Starts no more drains, and ends running ones after their current item. */
  stop(): void {
    this.isStopped = true
  }

  /** Starts to drain these queues, unless that is in progress. Returns at once. */
  wake(queues: readonly string[]): void {
    for (const queue of queues) {
      if (this.isStopped) continue
      this.woken.add(queue)
      if (this.draining.has(queue)) continue
      this.draining.add(queue)
      this.runtime.background(this.runtime.detached(() => this.run(queue).then(
        () => void this.failing.delete(queue),
        (error) => {
          if (!this.failing.has(queue)) this.log.warn('queue.failed', { room: queue, error })
          this.failing.add(queue)
        },
      )))
    }
  }

  private async run(queue: string): Promise<void> {
    const endsAt = this.runtime.now() + RUN_MS
    const isOver = () => this.isStopped || this.runtime.now() >= endsAt
    try {
      // Remove the queue from `draining` in the same step as the last check of `woken`: no wake may come in between.
      do {
        this.woken.delete(queue)
        await this.drain(queue, isOver)
      } while (this.woken.has(queue) && !isOver())
    }
    finally {
      this.draining.delete(queue)
    }
  }
}

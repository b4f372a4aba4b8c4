import type { MessageQueue, QueueLimits } from '../../ports/message-queue'

interface QueuedMessage {
  message: string
  attempt: number
  at: number
}

/** Keeps the queues in memory, like the state of the conversations. Both end with the process. */
export class EmbeddedMessageQueue implements MessageQueue {
  private readonly threads = new Map<string, { messages: QueuedMessage[], movedAt: number }>()

  constructor(private readonly now: () => number, private readonly limits: QueueLimits) {}

  async add(thread: string, message: string): Promise<void> {
    const queue = this.queue(thread) ?? { messages: [], movedAt: this.now() }
    queue.messages = [...queue.messages, { message, attempt: 0, at: this.now() }].slice(-this.limits.most)
    this.threads.set(thread, queue)
  }

  async first(thread: string): Promise<{ message: string, attempt: number } | null> {
    const queue = this.queue(thread)
    const [head] = queue?.messages ?? []
    if (!queue || !head) return null
    queue.movedAt = this.now()
    return { message: head.message, attempt: ++head.attempt }
  }

  async remove(thread: string, message: string): Promise<void> {
    const queue = this.queue(thread)
    if (queue?.messages[0]?.message !== message) return
    queue.messages.shift()
    queue.movedAt = this.now()
    if (queue.messages.length === 0) this.threads.delete(thread)
  }

  async isEmpty(thread: string): Promise<boolean> {
    return !this.queue(thread)
  }

  async stalled(ms: number, limit: number): Promise<string[]> {
    const stalledThreads = [...this.threads.keys()].filter(thread => (
      (this.queue(thread)?.movedAt ?? Infinity) <= this.now() - ms
    ))
    const oldest = stalledThreads.sort(
      (a, b) => this.threads.get(a)!.movedAt - this.threads.get(b)!.movedAt,
    ).slice(0, limit)
    for (const thread of oldest) this.threads.get(thread)!.movedAt = this.now()
    return oldest
  }

  /** Returns the queue of a thread without messages that are too old; undefined if it is empty. */
  private queue(thread: string) {
    const queue = this.threads.get(thread)
    if (queue) queue.messages = queue.messages.filter(({ at }) => at > this.now() - this.limits.keptMs)
    if (queue?.messages.length === 0) this.threads.delete(thread)
    return this.threads.get(thread)
  }
}

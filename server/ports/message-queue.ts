/**
 * Messages that wait for an answer: one queue per thread, in order of arrival. A message stays until its answer is
 * sent, so that another process can answer it if this one dies.
 */
export interface MessageQueue {
  /** Appends a message. If the queue is full, the oldest messages are dropped. */
  add(thread: string, message: string): Promise<void>
  /** Returns the first message and its number of attempts, this one included; null if the queue is empty. */
  first(thread: string): Promise<{ message: string, attempt: number } | null>
  /** Removes this message if it is still the first. */
  remove(thread: string, message: string): Promise<void>
  isEmpty(thread: string): Promise<boolean>
  /**
   * Returns threads with waiting messages and no progress for `ms`, longest wait first; each at most once every `ms`.
   */
  stalled(ms: number, limit: number): Promise<string[]>
}

export interface QueueLimits {
  /** Maximum messages that wait in one thread. */
  most: number
  /** Time for which a message is kept, ms. */
  keptMs: number
}

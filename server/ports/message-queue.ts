/**
 * Messages that people wait to have answered: one queue per thread, in order of arrival. A message stays until its
 * answer is out, so that another process can answer it when this one dies.
 */
export interface MessageQueue {
  /** Puts a message at the end. When more wait than may, the oldest are forgotten. */
  add(thread: string, message: string): Promise<void>
  /** The message whose turn it is, and how often it was handed out, this time included; null when none waits. */
  first(thread: string): Promise<{ message: string, attempt: number } | null>
  /** Takes the first message out, if it still is this one. */
  remove(thread: string, message: string): Promise<void>
  isEmpty(thread: string): Promise<boolean>
  /** Threads in which something waits and nothing moved for `ms`, longest first; each is handed out once in it. */
  stalled(ms: number, limit: number): Promise<string[]>
}

export interface QueueLimits {
  /** Messages that wait in one thread at most. */
  most: number
  /** How long, ms. */
  keptMs: number
}

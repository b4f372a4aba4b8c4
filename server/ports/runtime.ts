/** Time, randomness and background work, injected so that tests can control them. */
export interface Runtime {
  /** Epoch ms. */
  now(): number
  uuid(): string
  /** 0 ≤ n < 1. */
  random(): number
  wait(ms: number): Promise<void>
  /** Resolves after all events that arrived together with the present one were handled. */
  turn(): Promise<void>
  /** Resolves when `task` settles, or after `ms`. */
  within(task: Promise<unknown>, ms: number): Promise<void>
  /** Keeps the process (or the function instance) alive until `task` settles. */
  background(task: Promise<unknown>): void
  /** Keeps a function instance alive until `task` settles; a process does not wait for `task` before it stops. */
  keepAlive(task: Promise<unknown>): void
  /** Runs shared work, detached from the request that started it. */
  detached<T>(run: () => T): T
}

/** Clock of the store. All processes use it, because their own clocks may be wrong. */
export interface StoreClock {
  /** Epoch ms. */
  now(): number
  /** Lead of this machine's clock over the store's, ms; negative if it is behind. */
  readonly aheadMs: number
  /** Resolves when the store's time is known, at the latest after half a second. */
  known(): Promise<void>
}

/** Structured log: an event name and facts. Never contains form values, tokens or addresses. */
export interface Log {
  info(event: string, facts?: Record<string, unknown>): void
  warn(event: string, facts?: Record<string, unknown>): void
  error(event: string, facts?: Record<string, unknown>): void
}

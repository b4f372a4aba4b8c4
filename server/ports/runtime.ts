/** Time, randomness and background work, injected so that tests can control them. */
export interface Runtime {
  /** Epoch ms. */
  now(): number
  uuid(): string
  /** 0 ≤ n < 1. */
  random(): number
  wait(ms: number): Promise<void>
  /** Resolves after everything that arrived together with the present event was handled. */
  turn(): Promise<void>
  /** Resolves when `task` does, or after `ms` without its result. */
  within(task: Promise<unknown>, ms: number): Promise<void>
  /** Keeps the process (or the function instance) alive until `task` settles. */
  background(task: Promise<unknown>): void
  /** Keeps a function instance alive until `task` settles; a process that is told to stop does not wait for it. */
  keepAlive(task: Promise<unknown>): void
  /** Runs work for everybody, detached from the request that happened to start it. */
  detached<T>(run: () => T): T
}

/** Clock of the store, which all its processes use, however wrong their own clocks are. */
export interface StoreClock {
  /** Epoch ms. */
  now(): number
  /** Time by which this machine's clock is ahead of the store's, ms; negative when it is behind. */
  readonly aheadMs: number
  /** Resolves once the store's time is known, or was not within half a second. */
  known(): Promise<void>
}

/** Structured log: an event name and facts. Never contains form values, tokens or addresses. */
export interface Log {
  info(event: string, facts?: Record<string, unknown>): void
  warn(event: string, facts?: Record<string, unknown>): void
  error(event: string, facts?: Record<string, unknown>): void
}

/** The ambient things that decisions depend on, handed in so that tests can hold them still. */
export interface Runtime {
  /** Epoch ms. */
  now(): number
  uuid(): string
  /** 0 ≤ n < 1. */
  random(): number
  wait(ms: number): Promise<void>
  /** Resolves when what arrived together with the present event was handled too. */
  turn(): Promise<void>
  /** Resolves when `task` does, or after `ms` without it. */
  within(task: Promise<unknown>, ms: number): Promise<void>
  /** Keeps the process (or the function instance) alive until `task` settles. */
  background(task: Promise<unknown>): void
  /** Keeps a function instance alive until `task` settles; a process that is told to end does not wait for it. */
  keepAlive(task: Promise<unknown>): void
  /** Runs what is done for everybody, and belongs to no request although one happened to begin it. */
  detached<T>(run: () => T): T
}

/** The one clock that all processes on one store go by, whatever their machines say. */
export interface StoreClock {
  /** Epoch ms. */
  now(): number
  /** By how much the clock of this machine is ahead of it, ms; less than 0 when it is behind. */
  readonly aheadMs: number
  /** Resolves when the store has told its time once, or could not within half a second. */
  known(): Promise<void>
}

/** Structured log: an event name and facts. Never form values, tokens or addresses. */
export interface Log {
  info(event: string, facts?: Record<string, unknown>): void
  warn(event: string, facts?: Record<string, unknown>): void
  error(event: string, facts?: Record<string, unknown>): void
}

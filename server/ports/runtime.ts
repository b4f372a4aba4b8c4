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
}

/** Structured log: an event name and facts. Never form values, tokens or addresses. */
export interface Log {
  info(event: string, facts?: Record<string, unknown>): void
  warn(event: string, facts?: Record<string, unknown>): void
  error(event: string, facts?: Record<string, unknown>): void
}

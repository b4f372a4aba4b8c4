import type { Monitor } from '../../server/ports/monitor'
import type { Log, Runtime } from '../../server/ports/runtime'

/** A runtime whose clock stands still until a test moves it. */
export class FakeRuntime implements Runtime {
  time = Date.UTC(2026, 10, 21, 12)
  /** Requested pauses, ms */
  readonly waits: number[] = []
  /** Timeouts up to this many ms never fire, as if their task took no time; longer ones fire at once. */
  patience = 1000
  /** Number of tasks handed to the background so far */
  backgrounded = 0
  private readonly running = new Set<Promise<unknown>>()
  private ids = 0

  now = () => this.time
  random = () => 0.5
  uuid = () => `submission-${++this.ids}`

  /** Advances the clock and returns at once. */
  async wait(ms: number): Promise<void> {
    this.waits.push(ms)
    this.time += ms
  }

  turn = () => new Promise<void>(resolve => setImmediate(resolve))

  async within(task: Promise<unknown>, ms: number): Promise<void> {
    await (ms <= this.patience ? task : Promise.race([task, this.wait(ms)]))
  }

  background(task: Promise<unknown>): void {
    this.backgrounded++
    const tracked: Promise<unknown> = task.finally(() => this.running.delete(tracked))
    this.running.add(tracked)
  }

  keepAlive(): void { /* Draining does not wait for it. */ }

  detached = <T>(run: () => T) => run()

  /** Resolves when no background work is left; rejects if some of it failed. */
  async drain(): Promise<void> {
    while (this.running.size > 0) await Promise.all(this.running)
  }
}

export const silentMonitor: Monitor = {
  received: () => {}, tried: () => {}, ended: () => {}, refused: () => {}, misplaced: () => {}, acknowledged: () => {},
  incident: () => {}, told: () => {}, toldForeign: () => {}, undelivered: () => {}, filed: () => {}, probed: () => {},
}

export const silentLog: Log = { info: () => {}, warn: () => {}, error: () => {} }

import { setTimeout as wait } from 'node:timers/promises'
import type { StoreClock } from '../../../ports/runtime'
import type { RedisClientType as RedisClient } from 'redis'

/** Max wait of a cold start's first form for the time of Redis, ms. With the call itself, the total stays below 2 s. */
const FIRST_ANSWER_MS = 400

/**
 * Tells the time of Redis from the clock of this machine and its offset. All replicas, whose own clocks differ, thus
 * share one clock, without a round trip for each reading. It is as exact as the connection is fast: some ms.
 */
export class RedisClock implements StoreClock {
  /** Redis's time minus ours, ms. */
  private offset = 0
  private readonly firstAnswer = Promise.withResolvers<undefined>()
  private isKnown = false

  constructor(private readonly localNow: () => number = Date.now) {}

  now = (): number => this.localNow() + this.offset

  get aheadMs(): number {
    return -this.offset
  }

  async known(): Promise<void> {
    if (this.isKnown) return
    await Promise.race([this.firstAnswer.promise, wait(FIRST_ANSWER_MS, undefined, { ref: false })])
  }

  /** Returns our time at which a measurement starts, epoch ms. */
  asked(): number {
    return this.localNow()
  }

  /**
   * Corrects the offset from an answer of Redis with its time. The offset changes only as far as the answer proves it
   * wrong, so that slow answers do no harm and a right clock is left alone.
   *
   * @param time of Redis, epoch ms, rounded down
   * @param askedAt our time when the question was sent
   */
  observe(time: number, askedAt: number): void {
    this.offset = Math.min(Math.max(this.offset, time - this.localNow()), time + 1 - askedAt)
    this.isKnown = true
    this.firstAnswer.resolve(undefined)
  }
}

const clocks = new WeakMap<RedisClient, RedisClock>()

/** Returns the clock of a client. All ports on the client share it. */
export function clockOf(client: RedisClient): RedisClock {
  const clock = clocks.get(client) ?? new RedisClock()
  clocks.set(client, clock)
  return clock
}

import { setTimeout as wait } from 'node:timers/promises'
import type { StoreClock } from '../../../ports/runtime'
import type { RedisClientType as RedisClient } from 'redis'

/** How long the first form of a cold start waits for the time of Redis, ms: with the call itself it stays below 2 s. */
const FIRST_ANSWER_MS = 400

/**
 * The time of Redis, by the clock of this machine and how far that is off: one clock for all replicas, whose own ones
 * differ, without a round trip for each look at it. It is as good as the connection is fast, some ms.
 */
export class RedisClock implements StoreClock {
  /** Redis's time less ours, ms. */
  private offset = 0
  private readonly first = Promise.withResolvers<undefined>()
  private isKnown = false

  constructor(private readonly own: () => number = Date.now) {}

  now = (): number => this.own() + this.offset

  get aheadMs(): number {
    return -this.offset
  }

  async known(): Promise<void> {
    if (this.isKnown) return
    await Promise.race([this.first.promise, wait(FIRST_ANSWER_MS, undefined, { ref: false })])
  }

  /** Our time as measurements need it, epoch ms. */
  asked(): number {
    return this.own()
  }

  /**
   * Redis told its time in answer to a question of then. What we think of the offset is changed only as far as the
   * answer proves it wrong, so that slow answers do no harm and a right clock is left alone.
   *
   * @param time of Redis, epoch ms, cut to whole ones
   * @param asked our time at the question
   */
  observe(time: number, asked: number): void {
    this.offset = Math.min(Math.max(this.offset, time - this.own()), time + 1 - asked)
    this.isKnown = true
    this.first.resolve(undefined)
  }
}

const clocks = new WeakMap<RedisClient, RedisClock>()

/** The clock of a client: all ports on it share what they learn. */
export function clockOf(client: RedisClient): RedisClock {
  const clock = clocks.get(client) ?? new RedisClock()
  clocks.set(client, clock)
  return clock
}

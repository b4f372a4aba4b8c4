import { randomUUID } from 'node:crypto'
import type { Lock, StateAdapter } from 'chat'
import { pause } from '../patience'

/** Ways to become the owner: ask the owner to hand over, wait until there is none, or try once */
export type Approach = 'claim' | 'stand by' | 'if free'

/** Makes one listener the owner of a platform's session, across replicas. */
export class Lease {
  readonly id = randomUUID()
  private lock: Lock | null = null
  /** Time of the last request for the lease, by the wall clock and by the monotonic clock */
  private requestTime = { at: 0, up: 0 }
  private readonly claimKey: string

  /** @param leaseMs time until the lease is free again after its owner died */
  constructor(private readonly state: StateAdapter, private readonly key: string, readonly leaseMs: number) {
    this.claimKey = `${key}:claim`
  }

  /** Interval at which claims are checked, ms */
  get tickMs(): number {
    return this.leaseMs / 15
  }

  /** Time for which a claim blocks other listeners, in whole ms; the claimant renews it ten times in that time */
  private get claimMs(): number {
    return Math.ceil(this.tickMs * 5)
  }

  /** True while we own the lease by our own clock: a process that was suspended knows at once that it may not act. */
  get isHeld(): boolean {
    return this.lock !== null && this.ageMs < this.leaseMs
  }

  get isDue(): boolean {
    return this.ageMs > this.leaseMs / 3
  }

  /** Uses the clock that shows more time: one may stop while a machine sleeps, the other may be set back. */
  private get ageMs(): number {
    return Math.max(Date.now() - this.requestTime.at, performance.now() - this.requestTime.up)
  }

  /**
   * Resolves true as the owner, false if another listener has it or `signal` aborted. Waits for an unavailable store.
   * While a claim is fresh, only the claimant takes the lease; a newer claim replaces it.
   */
  async take(approach: Approach, signal: AbortSignal): Promise<boolean> {
    const isClaiming = approach === 'claim'
    let hasClaimed = false
    while (!signal.aborted) {
      try {
        const isClaimed = await this.isClaimed()
        if (hasClaimed && isClaimed) return false
        if (isClaiming) {
          await this.state.set(this.claimKey, this.id, this.claimMs)
          hasClaimed = true
        }
        const mayTake = isClaiming || !isClaimed
        if (mayTake && await this.acquire()) {
          // Our claim is settled. If a newer claim is deleted here, its claimant repeats it.
          if (isClaiming) await this.state.delete(this.claimKey).catch(() => {})
          return true
        }
        if (mayTake && approach === 'if free') return false
      }
      catch {
        // The store is unavailable; try again.
      }
      await pause(isClaiming ? this.tickMs / 2 : this.tickMs, signal)
    }
    return false
  }

  /** True if another live listener wants to take over. */
  async isClaimed(): Promise<boolean> {
    const claim = await this.state.get<string>(this.claimKey)
    return claim !== null && claim !== this.id
  }

  /** Returns false if the lease is no longer ours. */
  async renew(): Promise<boolean> {
    const requestTime = readClocks()
    if (!this.lock || !await this.state.extendLock(this.lock, this.leaseMs)) return false
    this.requestTime = requestTime
    return true
  }

  async release(): Promise<void> {
    const { lock } = this
    this.lock = null
    if (lock) await this.state.releaseLock(lock)
  }

  private async acquire(): Promise<boolean> {
    const requestTime = readClocks()
    this.lock = await this.state.acquireLock(this.key, this.leaseMs)
    this.requestTime = requestTime
    return this.lock !== null
  }
}

const readClocks = () => ({ at: Date.now(), up: performance.now() })

import { randomUUID } from 'node:crypto'
import type { Lock, StateAdapter } from 'chat'
import { pause } from '../../shared/patience'

/** How a listener becomes the owner: it asks the owner to hand over, waits until there is none, or asks once. */
export type Approach = 'claim' | 'stand by' | 'if free'

/** Makes one listener the owner of the session, across replicas. */
export class Lease {
  readonly id = randomUUID()
  private lock: Lock | null = null
  /** When it was asked for last, by the clock of the day and by the one that is never put back. */
  private asked = { at: 0, up: 0 }
  private readonly claimKey: string

  /** @param leaseMs until it is free again after its owner died */
  constructor(private readonly state: StateAdapter, private readonly key: string, readonly leaseMs: number) {
    this.claimKey = `${key}:claim`
  }

  /** Pause between two looks at what others want, ms. */
  get tickMs(): number {
    return this.leaseMs / 15
  }

  /** How long a claim keeps others away unless its maker repeats it, which it does ten times meanwhile, in whole ms. */
  private get claimMs(): number {
    return Math.ceil(this.tickMs * 5)
  }

  /** Goes by our own clock: a process that slept knows at once that it may no longer act. */
  get isHeld(): boolean {
    return this.lock !== null && this.ageMs < this.leaseMs
  }

  get isDue(): boolean {
    return this.ageMs > this.leaseMs / 3
  }

  /** By whichever clock says more: one may stand still while a machine sleeps, the other one may be put back. */
  private get ageMs(): number {
    return Math.max(Date.now() - this.asked.at, performance.now() - this.asked.up)
  }

  /**
   * Resolves true as the owner, false when another has it or `signal` aborted. A store that is away is waited for.
   * While a claim is fresh, only its maker takes the lease; a newer claim replaces it.
   */
  async take(approach: Approach, signal: AbortSignal): Promise<boolean> {
    const claims = approach === 'claim'
    let hasClaimed = false
    while (!signal.aborted) {
      try {
        const isClaimed = await this.isClaimed()
        if (hasClaimed && isClaimed) return false
        if (claims) {
          await this.state.set(this.claimKey, this.id, this.claimMs)
          hasClaimed = true
        }
        if (claims || !isClaimed) {
          if (await this.acquire()) {
            // Settled; if it was a newer one, its maker repeats it.
            if (claims) await this.state.delete(this.claimKey).catch(() => {})
            return true
          }
          if (approach === 'if free') return false
        }
      }
      catch {
        // The store is away.
      }
      await pause(claims ? this.tickMs / 2 : this.tickMs, signal)
    }
    return false
  }

  /** Tells whether another listener wants to take over, and is alive. */
  async isClaimed(): Promise<boolean> {
    const claim = await this.state.get<string>(this.claimKey)
    return claim !== null && claim !== this.id
  }

  /** False when the lease is no longer ours. */
  async renew(): Promise<boolean> {
    const asked = now()
    if (!this.lock || !await this.state.extendLock(this.lock, this.leaseMs)) return false
    this.asked = asked
    return true
  }

  async release(): Promise<void> {
    const { lock } = this
    this.lock = null
    if (lock) await this.state.releaseLock(lock)
  }

  private async acquire(): Promise<boolean> {
    const asked = now()
    this.lock = await this.state.acquireLock(this.key, this.leaseMs)
    this.asked = asked
    return this.lock !== null
  }
}

const now = () => ({ at: Date.now(), up: performance.now() })

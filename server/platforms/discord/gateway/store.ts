import type { StateAdapter } from 'chat'
import type { GatewayStatus } from '../../../ports/monitor'
import { OwnerStore, RETENTION_MS } from '../../shared/listener/owner-store'
import type { Checkpoint } from './progress'

const DAY_MS = 86_400_000

/** Discord allows one IDENTIFY in 5 s (https://discord.com/developers/docs/events/gateway#rate-limiting). */
const IDENTIFY_INTERVAL_MS = 5500
/** IDENTIFYs in a day before they slow down: more indicate an error, and at 1,000 Discord resets the token */
const IDENTIFIES_AT_ONCE = 100
const SLOW_IDENTIFY_INTERVAL_MS = 120_000

/** Number of IDENTIFYs in the 24 hours from `since`, and the time of the last one; epoch ms */
interface Identifies {
  since: number
  count: number
  last: number
}

/** State of the listener, shared by all replicas */
export class GatewayStore extends OwnerStore {
  constructor(state: StateAdapter, applicationId: string) {
    super(state, `discord-gateway:${applicationId}`)
  }

  load(): Promise<Checkpoint | null> {
    return this.state.get<Checkpoint>(`${this.key}:session`)
  }

  save(checkpoint: Checkpoint): Promise<void> {
    return this.state.set(`${this.key}:session`, checkpoint, RETENTION_MS)
  }

  /** Returns the wait before the next IDENTIFY, ms; 0 or less if one is allowed now. */
  async identifyWaitMs(now = Date.now()): Promise<number> {
    const { count, last } = await this.identifies(now)
    // A time this far ahead was written by a wrong clock; waiting for it would keep the bot offline until then.
    if (last - now > SLOW_IDENTIFY_INTERVAL_MS) return 0
    return last + (count < IDENTIFIES_AT_ONCE ? IDENTIFY_INTERVAL_MS : SLOW_IDENTIFY_INTERVAL_MS) - now
  }

  /** Counts without a lock, because only the owner identifies. */
  async countIdentify(now = Date.now()): Promise<void> {
    const { since, count } = await this.identifies(now)
    await this.state.set(`${this.key}:identifies`, { since, count: count + 1, last: now }, RETENTION_MS)
  }

  async identifies(now = Date.now()): Promise<Identifies> {
    // Records of an earlier version have no `since`.
    const counter = await this.state.get<Omit<Identifies, 'since'> & Partial<Identifies>>(`${this.key}:identifies`)
    const since = counter?.since ?? counter?.last ?? now
    return counter && now - since < DAY_MS ? { ...counter, since } : { since: now, count: 0, last: counter?.last ?? 0 }
  }

  override async status(): Promise<GatewayStatus> {
    const [status, { count: identifiesInDay }] = await Promise.all([super.status(), this.identifies()])
    return { ...status, identifiesInDay }
  }
}

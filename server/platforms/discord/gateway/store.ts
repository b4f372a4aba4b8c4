import type { StateAdapter } from 'chat'
import type { GatewayStatus } from '../../../ports/monitor'
import type { Checkpoint } from './progress'
import type { DeadLetter } from './queue'

const DAY_MS = 86_400_000
/** Retention of the state, ms: longer than Discord keeps a session and than the max age of messages to read back */
const RETENTION_MS = 7 * DAY_MS
const MAX_DEAD_LETTERS = 200

/** Discord allows one IDENTIFY in 5 s (https://discord.com/developers/docs/events/gateway#rate-limiting). */
const IDENTIFY_INTERVAL_MS = 5500
/** IDENTIFYs in a day before they slow down: more indicate an error, and at 1,000 Discord resets the token */
const IDENTIFIES_AT_ONCE = 100
const SLOW_IDENTIFY_INTERVAL_MS = 120_000

/** Data of the owner for the ops page */
export interface OwnerRecord extends Omit<GatewayStatus, 'owner' | 'identifiesInDay' | 'deadLetters'> {
  owner: string
}

/** Number of IDENTIFYs in the 24 hours from `since`, and the time of the last one; epoch ms */
interface Identifies {
  since: number
  count: number
  last: number
}

/** State of the listener, shared by all replicas */
export class GatewayStore {
  readonly key: string

  constructor(private readonly state: StateAdapter, applicationId: string) {
    this.key = `discord-gateway:${applicationId}`
  }

  load(): Promise<Checkpoint | null> {
    return this.state.get<Checkpoint>(`${this.key}:session`)
  }

  save(checkpoint: Checkpoint): Promise<void> {
    return this.state.set(`${this.key}:session`, checkpoint, RETENTION_MS)
  }

  record(): Promise<OwnerRecord | null> {
    return this.state.get<OwnerRecord>(`${this.key}:owner`)
  }

  /** @param validMs validity unless it is written again, ms; 0 once its owner has stopped */
  async saveRecord(record: OwnerRecord, validMs: number): Promise<void> {
    const liveKey = `${this.key}:live`
    await Promise.all([
      this.state.set(`${this.key}:owner`, record, RETENTION_MS),
      // Expires by the store's clock, because the clocks of writer and reader may differ.
      validMs > 0 ? this.state.set(liveKey, 1, validMs) : this.state.delete(liveKey),
    ])
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

  bury(letter: DeadLetter, reason: string): Promise<void> {
    const listOptions = { maxLength: MAX_DEAD_LETTERS, ttlMs: RETENTION_MS }
    return this.state.appendToList(`${this.key}:dead`, { ...letter, reason, at: Date.now() }, listOptions)
  }

  /** Returns the owner, its connection and its counters for the ops page. */
  async status(): Promise<GatewayStatus> {
    const [record, isLive, { count: identifiesInDay }, deadLetters] = await Promise.all([
      this.record(), this.state.get(`${this.key}:live`), this.identifies(), this.state.getList(`${this.key}:dead`),
    ])
    const { owner = null, connectedSince = null, nextRestartAt = null, refusal = null } = record ?? {}
    const { resumes = 0, lastEventAt = null, lastForwardError = null } = record ?? {}
    const connection = isLive ? { owner, connectedSince, nextRestartAt } : NOBODY
    return {
      ...connection, refusal, resumes, identifiesInDay, lastEventAt, lastForwardError, deadLetters: deadLetters.length,
    }
  }
}

const NOBODY = { owner: null, connectedSince: null, nextRestartAt: null }

import type { StateAdapter } from 'chat'
import type { GatewayStatus } from '../../../ports/monitor'
import type { Checkpoint } from './progress'
import type { DeadLetter } from './queue'

const DAY_MS = 86_400_000
/** How long the memory is kept, ms: longer than Discord keeps a session, and than anything is read back. */
const KEPT_MS = 7 * DAY_MS
const DEAD_LETTERS = 200

/** Discord allows one IDENTIFY in 5 s (https://discord.com/developers/docs/events/gateway#rate-limiting). */
const IDENTIFY_EVERY_MS = 5500
/** Beyond a hundred a day something is wrong: then so slowly that 1,000, when Discord resets the token, stay away. */
const IDENTIFIES_AT_ONCE = 100
const IDENTIFY_SLOWLY_MS = 120_000

/** What the owner writes down for the ops page. */
export interface OwnerRecord extends Omit<GatewayStatus, 'owner' | 'identifiesInDay' | 'deadLetters'> {
  owner: string
}

/** How often an IDENTIFY was sent in the 24 hours from `since`, and when last; epoch ms. */
interface Identifies {
  since: number
  count: number
  last: number
}

/** The listener's memory, shared by all replicas. */
export class GatewayStore {
  readonly key: string

  constructor(private readonly state: StateAdapter, applicationId: string) {
    this.key = `discord-gateway:${applicationId}`
  }

  load(): Promise<Checkpoint | null> {
    return this.state.get<Checkpoint>(`${this.key}:session`)
  }

  save(checkpoint: Checkpoint): Promise<void> {
    return this.state.set(`${this.key}:session`, checkpoint, KEPT_MS)
  }

  record(): Promise<OwnerRecord | null> {
    return this.state.get<OwnerRecord>(`${this.key}:owner`)
  }

  /** @param forMs how long it is true unless it is written again; 0 when its owner listens no more */
  async saveRecord(record: OwnerRecord, forMs: number): Promise<void> {
    const live = `${this.key}:live`
    await Promise.all([
      this.state.set(`${this.key}:owner`, record, KEPT_MS),
      // It ends by the store's clock: those of who writes and who reads may differ.
      forMs > 0 ? this.state.set(live, 1, forMs) : this.state.delete(live),
    ])
  }

  /** How long to wait before the next IDENTIFY, ms; at most 0 when there may be one now. */
  async identifyWaitMs(now = Date.now()): Promise<number> {
    const { count, last } = await this.identifies(now)
    // Written by a clock that was put right since, it would keep the bot deaf until then.
    if (last - now > IDENTIFY_SLOWLY_MS) return 0
    return last + (count < IDENTIFIES_AT_ONCE ? IDENTIFY_EVERY_MS : IDENTIFY_SLOWLY_MS) - now
  }

  /** Only the owner identifies, so that nobody counts at the same time. */
  async countIdentify(now = Date.now()): Promise<void> {
    const { since, count } = await this.identifies(now)
    await this.state.set(`${this.key}:identifies`, { since, count: count + 1, last: now }, KEPT_MS)
  }

  async identifies(now = Date.now()): Promise<Identifies> {
    // What an earlier version wrote has no beginning.
    const known = await this.state.get<Omit<Identifies, 'since'> & Partial<Identifies>>(`${this.key}:identifies`)
    const since = known?.since ?? known?.last ?? now
    return known && now - since < DAY_MS ? { ...known, since } : { since: now, count: 0, last: known?.last ?? 0 }
  }

  bury(letter: DeadLetter, reason: string): Promise<void> {
    const kept = { maxLength: DEAD_LETTERS, ttlMs: KEPT_MS }
    return this.state.appendToList(`${this.key}:dead`, { ...letter, reason, at: Date.now() }, kept)
  }

  /** Who listens, since when, and how well. */
  async status(): Promise<GatewayStatus> {
    const [record, isLive, { count: identifiesInDay }, deadLetters] = await Promise.all([
      this.record(), this.state.get(`${this.key}:live`), this.identifies(), this.state.getList(`${this.key}:dead`),
    ])
    const { owner = null, connectedSince = null, nextRestartAt = null, refusal = null } = record ?? {}
    const { resumes = 0, lastEventAt = null, lastForwardError = null } = record ?? {}
    const live = isLive ? { owner, connectedSince, nextRestartAt } : NOBODY
    return {
      ...live, refusal, resumes, identifiesInDay, lastEventAt, lastForwardError, deadLetters: deadLetters.length,
    }
  }
}

const NOBODY = { owner: null, connectedSince: null, nextRestartAt: null }

import type { StateAdapter } from 'chat'
import type { GatewayStatus } from '../../../ports/monitor'

/** Retention of the state, ms: longer than Discord keeps a session and than the max age of messages to read back */
export const RETENTION_MS = 7 * 86_400_000
const MAX_DEAD_LETTERS = 200

/** Data of the owner for the ops page */
export interface OwnerRecord extends Omit<GatewayStatus, 'owner' | 'identifiesInDay' | 'deadLetters'> {
  owner: string
}

/** State of a listener, shared by all replicas */
export class OwnerStore {
  /** @param key start of all its keys, and name of the lease */
  constructor(protected readonly state: StateAdapter, readonly key: string) {}

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

  /** Keeps what is known of an event that was given up; `letter` must not contain form data. */
  bury(letter: object, reason: string): Promise<void> {
    const listOptions = { maxLength: MAX_DEAD_LETTERS, ttlMs: RETENTION_MS }
    return this.state.appendToList(`${this.key}:dead`, { ...letter, reason, at: Date.now() }, listOptions)
  }

  /** Returns the owner, its connection and its counters for the ops page. */
  async status(): Promise<GatewayStatus> {
    const [record, isLive, deadLetters] = await Promise.all([
      this.record(), this.state.get(`${this.key}:live`), this.state.getList(`${this.key}:dead`),
    ])
    const { owner = null, connectedSince = null, nextRestartAt = null, refusal = null } = record ?? {}
    const { resumes = 0, lastEventAt = null, lastForwardError = null } = record ?? {}
    const connection = isLive ? { owner, connectedSince, nextRestartAt } : NOBODY
    return { ...connection, refusal, resumes, lastEventAt, lastForwardError, deadLetters: deadLetters.length }
  }
}

const NOBODY = { owner: null, connectedSince: null, nextRestartAt: null }

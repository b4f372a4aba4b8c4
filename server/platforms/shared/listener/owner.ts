import { hostname } from 'node:os'
import type { Log } from '../../../ports/runtime'
import { pause } from '../patience'
import type { Lease } from './lease'
import type { OwnerRecord, OwnerStore } from './owner-store'

/** Min interval between log lines about failed deliveries, ms */
const LOG_INTERVAL_MS = 30_000

/** Reason to stop: time over, another listener asked, lease lost, or the platform refused */
export type Reason = 'over' | 'handover' | 'lost' | 'refused'

export interface OwnerOptions {
  /** First part of the names of log events, e.g. `discord.gateway` */
  name: string
  store: OwnerStore
  lease: Lease
  signal: AbortSignal
  /** Time at which it must stop, epoch ms; null for no limit */
  endsAt: number | null
  /** Name of the listener for the ops page. Default: host and process */
  owner?: string
  log: Log
  /** Called each time the platform has accepted this listener */
  connected?: () => void
}

/**
 * Listener that holds the lease; all others stand by. A platform's class opens its connection, calls `connected`,
 * `detached`, `noteEvent`, `noteFailure`, `bury` and `refuse`, and delivers nothing unless `mayAct()`.
 */
export abstract class LeaseOwner<Options extends OwnerOptions = OwnerOptions> {
  reason: Reason | null = null
  refusal: string | null = null
  protected record: OwnerRecord
  private readonly endController = new AbortController()
  /** Ends the wait for the next tick early */
  private nudgeController = new AbortController()
  private nextLogAt = 0

  constructor(protected readonly options: Options) {
    this.record = {
      owner: options.owner || `${hostname()}:${process.pid}`, connectedSince: null, refusal: null, resumes: 0,
      lastEventAt: null, lastForwardError: null, nextRestartAt: options.endsAt,
    }
  }

  /** Starts to listen, without waiting; connects again by itself until `close`. */
  protected abstract open(): void
  /** Stops receiving, and settles once nothing is in progress. */
  protected abstract close(): Promise<unknown>

  /** Reads what an earlier owner left; returns facts for the log. A rejection is tried again. */
  protected async restore(): Promise<Record<string, unknown>> {
    return {}
  }

  /** True if `saveProgress` has something to store. */
  protected hasProgress(): boolean {
    return false
  }

  /** Called while the lease is held for sure. */
  protected async saveProgress(): Promise<void> {}

  /** Called regularly, also while the store is unavailable. */
  protected async inspect(): Promise<void> {}

  /** Listens until there is a reason to stop. Afterwards the next owner can continue. */
  async run(): Promise<Reason> {
    const { signal, lease } = this.options
    const onAbort = () => this.end('over')
    signal.addEventListener('abort', onAbort, { once: true })
    if (signal.aborted) onAbort()
    await this.load()
    if (!this.reason) this.open()
    while (!this.reason) {
      await pause(lease.tickMs, AbortSignal.any([this.endController.signal, this.nudgeController.signal]))
      if (!this.reason) await this.tick()
    }
    signal.removeEventListener('abort', onAbort)
    // Stop receiving, finish what has begun, then release the lease.
    const renewTimer = setInterval(() => void lease.renew().catch(() => {}), lease.leaseMs / 3)
    await this.close()
    clearInterval(renewTimer)
    this.record = { ...this.record, connectedSince: null, refusal: this.refusal }
    if (this.reason !== 'lost') await this.save().catch(() => {})
    await lease.release().catch(() => {})
    this.report('ended', { reason: this.reason })
    return this.reason
  }

  /** False if events belong to the next owner: this one stops, or the process was suspended for too long. */
  protected mayAct(): boolean {
    if (!this.reason && !this.options.lease.isHeld) this.end('lost')
    return !this.reason
  }

  /** @param counts further changes of the record */
  protected connected(event: string, counts: Partial<OwnerRecord>, facts?: Record<string, unknown>): void {
    this.record = { ...this.record, connectedSince: Date.now(), ...counts }
    this.report(event, facts)
    this.options.connected?.()
  }

  protected detached(why: string): void {
    this.record = { ...this.record, connectedSince: null }
    this.report('detached', { why })
  }

  /** @param why text for people, which names the setting to change */
  protected refuse(why: string): void {
    this.refusal = why
    this.end('refused')
  }

  protected noteEvent(at = Date.now()): void {
    this.record = { ...this.record, lastEventAt: at }
  }

  protected readonly noteFailure = (reason: string): void => {
    const now = Date.now()
    this.record = { ...this.record, lastForwardError: { at: now, reason } }
    if (now < this.nextLogAt) return
    this.nextLogAt = now + LOG_INTERVAL_MS
    this.options.log.warn(`${this.options.name}.delivery-failed`, { reason })
  }

  protected readonly bury = async (letter: object, reason: string): Promise<void> => {
    await this.options.store.bury(letter, reason)
    this.options.log.error(`${this.options.name}.event-given-up`, { ...letter, reason })
  }

  protected readonly report = (event: string, facts: Record<string, unknown> = {}): void => {
    this.options.log.info(`${this.options.name}.${event}`, { owner: this.record.owner, ...facts })
  }

  /** Saves soon instead of at the next regular time. */
  protected nudge(): void {
    this.nudgeController.abort()
  }

  private end(reason: Reason): void {
    this.reason ??= reason
    this.endController.abort()
  }

  private async load(): Promise<void> {
    const { lease, store } = this.options
    while (!this.reason) {
      try {
        const [facts, record] = await Promise.all([this.restore(), store.record()])
        const { resumes = 0, lastEventAt = null, lastForwardError = null } = record ?? {}
        this.record = { ...this.record, resumes, lastEventAt, lastForwardError }
        return this.report('owner', facts)
      }
      catch {
        await pause(lease.tickMs, this.endController.signal)
        if (!lease.isHeld) this.end('lost')
      }
    }
  }

  private async tick(): Promise<void> {
    const { lease } = this.options
    const isNudged = this.nudgeController.signal.aborted
    if (isNudged) this.nudgeController = new AbortController()
    try {
      if (await lease.isClaimed()) this.end('handover')
      else if (isNudged || this.hasProgress() || lease.isDue) await this.save()
    }
    catch {
      // The store is unavailable; nothing is acknowledged meanwhile.
      if (!lease.isHeld) this.end('lost')
    }
    if (!this.reason) await this.inspect()
  }

  /** Renews the lease first, so that a process that was suspended cannot overwrite its successor's data. */
  private async save(): Promise<void> {
    const { lease, store } = this.options
    if (!await lease.renew()) return this.end('lost')
    await this.saveProgress()
    await store.saveRecord(this.record, this.reason ? 0 : lease.leaseMs)
  }
}

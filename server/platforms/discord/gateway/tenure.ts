import { Connection, type Dispatch } from './connection'
import { Delivery, type DeadLetter } from './delivery'
import { Reader } from './directory'
import { INTENTS, type GatewayOptions } from './events'
import { Intake } from './intake'
import type { Lease } from './lease'
import { pause } from './pause'
import { Progress, type Stored } from './progress'
import type { GatewayStore, OwnerRecord } from './store'

/** How long what is queued may take when the listener ends, ms; the rest is replayed to the next one. */
const DRAIN_MS = 5000
const MAX_AGE_MS = 5 * 60_000
/** Without a session for so long, the connection is built anew. */
const STALLED_MS = 60_000
/** Between two log lines about failing deliveries, ms. */
const QUIET_MS = 30_000

/** Why a tenure ended: its time was over, another listener asked, the lease was lost, Discord refused. */
export type Reason = 'over' | 'handover' | 'lost' | 'refused'

export interface TenureOptions extends GatewayOptions {
  store: GatewayStore
  lease: Lease
  signal: AbortSignal
  /** What this process knew when it last held the lease, for a store that has forgotten. */
  known: Stored | null
  endsAt: number | null
}

/** Listening while one holds the lease. */
export class Tenure {
  reason: Reason | null = null
  refusal = ''
  private readonly store: GatewayStore
  private readonly delivery: Delivery
  private readonly reader: Reader
  private progress!: Progress
  private intake!: Intake
  private connection: Connection
  private record: OwnerRecord
  private readonly ended = new AbortController()
  /** Cuts the wait for the next tick short. */
  private nudge = new AbortController()
  private isLost = false
  private isIdentifying = false
  private quietUntil = 0

  constructor(private readonly options: TenureOptions) {
    const { store, maxAgeMs = MAX_AGE_MS, rest, owner = '', lease, endsAt } = options
    this.reader = new Reader(rest)
    this.delivery = new Delivery({ maxAgeMs, onFailure: reason => this.onFailure(reason), bury: (...letter) => this.bury(...letter) })
    this.connection = this.build()
    this.record = { owner: owner || lease.id, until: 0, connectedSince: null, resumes: 0, lastEventAt: null, lastForwardError: null, nextRestartAt: endsAt }
    this.store = store
    this.begin(options.known)
  }

  get knowledge(): Stored {
    return this.progress.snapshot()
  }

  /** Listens until there is a reason to end; leaves the session resumable and everything that it knows in the store. */
  async run(): Promise<Reason> {
    const { signal, lease } = this.options
    const over = () => this.stop('over')
    signal.addEventListener('abort', over, { once: true })
    if (signal.aborted) over()
    await this.load()
    if (!this.reason) void this.connection.open()
    while (!this.reason) {
      await pause(lease.tickMs, AbortSignal.any([this.ended.signal, this.nudge.signal]))
      if (!this.reason) await this.tick()
    }
    signal.removeEventListener('abort', over)
    // No more events; deliver what is queued; leave the rest to the replay; hand over.
    const renewing = setInterval(() => void lease.renew().catch(() => {}), lease.leaseMs / 3)
    await Promise.all([this.connection.close(), this.delivery.end(this.reason === 'lost' ? 0 : DRAIN_MS)])
    clearInterval(renewing)
    this.record = { ...this.record, connectedSince: null }
    if (this.reason !== 'lost') await this.save().catch(() => {})
    await lease.release().catch(() => {})
    this.report('ended', { reason: this.reason })
    return this.reason
  }

  private async load(): Promise<void> {
    const { lease, known } = this.options
    while (!this.reason) {
      try {
        const [stored, record] = await Promise.all([this.store.load(), this.store.record()])
        this.begin(stored ?? known)
        const { resumes = 0, lastEventAt = null, lastForwardError = null } = record ?? {}
        this.record = { ...this.record, resumes, lastEventAt, lastForwardError }
        return this.report('owner', { resumes: this.progress.session !== null, sequence: this.progress.savedSequence })
      }
      catch {
        await pause(lease.tickMs, this.ended.signal)
        if (!lease.isHeld) this.stop('lost')
      }
    }
  }

  private begin(stored: Stored | null): void {
    const { applicationId, deliver } = this.options
    const { delivery, reader } = this
    this.progress = new Progress(stored)
    this.intake = new Intake({ applicationId, deliver, delivery, reader, report: (...facts) => this.report(...facts) }, this.progress)
  }

  private stop(reason: Reason): void {
    this.reason ??= reason
    this.ended.abort()
  }

  private async tick(): Promise<void> {
    const { lease } = this.options
    const nudged = this.nudge.signal.aborted
    if (nudged) this.nudge = new AbortController()
    try {
      if (await lease.isClaimed()) this.stop('handover')
      else if (nudged || this.progress.changed || lease.isDue) await this.save()
    }
    catch {
      // The store is away; nothing is acknowledged meanwhile.
      if (!lease.isHeld) this.stop('lost')
    }
    if (this.connection.detachedMs > STALLED_MS && !this.isIdentifying && !this.reason) {
      this.report('stalled')
      await this.connection.close()
      this.connection = this.build()
      void this.connection.open()
    }
  }

  /** Renews the lease first, so that a process that slept cannot overwrite what its successor wrote. */
  private async save(): Promise<void> {
    const { lease } = this.options
    if (!await lease.renew()) return this.stop('lost')
    const { progress } = this
    if (progress.changed) {
      const stored = progress.snapshot()
      progress.changed = false
      await this.store.save(stored).catch((error) => {
        progress.changed = true
        throw error
      })
      if (stored.session === progress.session) progress.savedSequence = stored.sequence
    }
    await this.store.saveRecord({ ...this.record, lastEventAt: this.intake.lastEventAt ?? this.record.lastEventAt, until: lease.until })
  }

  private build(): Connection {
    return new Connection({
      botToken: this.options.botToken,
      intents: INTENTS,
      session: () => this.progress.session && !this.isLost ? { ...this.progress.session, sequence: this.progress.savedSequence } : null,
      gateway: () => this.reader.get('/gateway/bot'),
      mayIdentify: signal => this.mayIdentify(signal),
      identified: (session, sequence) => {
        // Packets that were read before op 9 still speak of the old one.
        if (session.sessionId === this.progress.session?.sessionId) return
        this.isLost = false
        this.progress.begin(session, sequence)
        this.record = { ...this.record, resumes: 0, connectedSince: Date.now() }
        this.report('identified')
      },
      ready: (guilds) => {
        this.progress.owe(guilds)
        this.nudge.abort()
      },
      resumed: () => {
        this.record = { ...this.record, resumes: this.record.resumes + 1, connectedSince: Date.now() }
        this.nudge.abort()
        this.report('resumed', { sequence: this.progress.savedSequence })
      },
      dispatch: payload => this.onDispatch(payload),
      lost: () => {
        if (!this.isLost) this.report('session-lost')
        this.isLost = true
      },
      detached: (why) => {
        this.record = { ...this.record, connectedSince: null }
        this.report('detached', { why })
      },
      refused: (why) => {
        this.refusal = why
        this.stop('refused')
      },
    })
  }

  /** Only the owner may spend an IDENTIFY, and not soon after the last one anywhere. */
  private async mayIdentify(signal: AbortSignal): Promise<void> {
    const aborted = new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(new Error('The connection was closed.')), { once: true }))
    aborted.catch(() => {})
    this.isIdentifying = true
    try {
      while (!signal.aborted) {
        const waitMs = await this.store.identifyWaitMs().catch(() => 1000)
        if (waitMs > 0) await pause(waitMs, signal)
        else if (!this.reason && await this.options.lease.renew().catch(() => false)) break
        else await Promise.race([aborted, pause(1000, signal)])
      }
      if (signal.aborted) return await aborted
      await this.store.countIdentify().catch(() => {})
    }
    finally {
      this.isIdentifying = false
    }
  }

  private onDispatch(payload: Dispatch): void {
    if (this.reason) return
    // A process that slept: what it takes now, its successor takes too.
    if (!this.options.lease.isHeld) return this.stop('lost')
    try {
      this.intake.take(payload)
    }
    catch (error) {
      // Thrown on, it would end the process, and after the replay the next one.
      this.options.log.error('discord.gateway.not-understood', { type: payload.t, error })
    }
  }

  private onFailure(reason: string): void {
    const now = Date.now()
    this.record = { ...this.record, lastForwardError: { at: now, reason } }
    if (now < this.quietUntil) return
    this.quietUntil = now + QUIET_MS
    this.options.log.warn('discord.gateway.delivery-failed', { reason })
  }

  private async bury(letter: DeadLetter, reason: string): Promise<void> {
    await this.store.bury(letter, reason)
    this.options.log.error('discord.gateway.event-given-up', { ...letter, reason })
  }

  private report(what: string, facts: Record<string, unknown> = {}): void {
    this.options.log.info(`discord.gateway.${what}`, { owner: this.record.owner, ...facts })
    this.options.onStatus?.(what, facts)
  }
}

import { pause } from '../../shared/patience'
import { RestReader } from './directory'
import { Dispatcher } from './dispatcher'
import { INTENTS, type GatewayOptions } from './events'
import type { Lease } from './lease'
import { Progress, type Checkpoint } from './progress'
import { EventQueue, type DeadLetter } from './queue'
import { GatewaySocket, type Dispatch } from './socket'
import type { GatewayStore, OwnerRecord } from './store'

/** Time for queued events at the end, ms; Discord replays the rest to the next listener */
const DRAIN_MS = 5000
/** Time after which an event is given up, ms */
const MAX_AGE_MS = 5 * 60_000
/** Time without a session after which the socket is rebuilt, ms */
const STALLED_MS = 60_000
/** Min interval between log lines about failed deliveries, ms */
const LOG_INTERVAL_MS = 30_000

/** Reason to stop: time over, another listener asked, lease lost, or Discord refused */
type Reason = 'over' | 'handover' | 'lost' | 'refused'

interface ActiveOptions extends GatewayOptions {
  store: GatewayStore
  lease: Lease
  signal: AbortSignal
  /** Last checkpoint that this process made as owner, in case the store has lost it */
  known: Checkpoint | null
  endsAt: number | null
}

/** Listener that holds the lease; all others stand by */
export class ActiveListener {
  reason: Reason | null = null
  refusal: string | null = null
  private readonly queue: EventQueue
  private readonly reader: RestReader
  private progress!: Progress
  private dispatcher!: Dispatcher
  private socket: GatewaySocket
  private record: OwnerRecord
  private readonly endController = new AbortController()
  /** Ends the wait for the next tick early */
  private nudgeController = new AbortController()
  private isSessionLost = false
  private isIdentifying = false
  private nextLogAt = 0

  constructor(private readonly options: ActiveOptions) {
    const { rest, owner = '', lease, endsAt } = options
    this.reader = new RestReader(rest)
    this.queue = new EventQueue({ maxAgeMs: MAX_AGE_MS, onFailure: this.onFailure, bury: this.bury })
    this.socket = this.build()
    this.record = {
      owner: owner || lease.id, connectedSince: null, refusal: null, resumes: 0,
      lastEventAt: null, lastForwardError: null, nextRestartAt: endsAt,
    }
    this.begin(options.known)
  }

  get checkpoint(): Checkpoint {
    return this.progress.snapshot()
  }

  /** Listens until there is a reason to stop. Afterwards the stored session can be resumed. */
  async run(): Promise<Reason> {
    const { signal, lease } = this.options
    const onAbort = () => this.end('over')
    signal.addEventListener('abort', onAbort, { once: true })
    if (signal.aborted) onAbort()
    await this.load()
    if (!this.reason) void this.socket.open()
    while (!this.reason) {
      await pause(lease.tickMs, AbortSignal.any([this.endController.signal, this.nudgeController.signal]))
      if (!this.reason) await this.tick()
    }
    signal.removeEventListener('abort', onAbort)
    // Stop receiving, deliver queued events, leave the rest to the replay, then release the lease.
    const renewTimer = setInterval(() => void lease.renew().catch(() => {}), lease.leaseMs / 3)
    await Promise.all([this.socket.close(), this.queue.end(this.reason === 'lost' ? 0 : DRAIN_MS)])
    clearInterval(renewTimer)
    this.record = { ...this.record, connectedSince: null, refusal: this.refusal }
    if (this.reason !== 'lost') await this.save().catch(() => {})
    await lease.release().catch(() => {})
    this.report('ended', { reason: this.reason })
    return this.reason
  }

  private async load(): Promise<void> {
    const { lease, known: lastCheckpoint, store } = this.options
    while (!this.reason) {
      try {
        const [checkpoint, record] = await Promise.all([store.load(), store.record()])
        this.begin(checkpoint ?? lastCheckpoint)
        const { resumes = 0, lastEventAt = null, lastForwardError = null } = record ?? {}
        this.record = { ...this.record, resumes, lastEventAt, lastForwardError }
        return this.report('owner', { resumes: this.progress.session !== null, sequence: this.progress.savedSequence })
      }
      catch {
        await pause(lease.tickMs, this.endController.signal)
        if (!lease.isHeld) this.end('lost')
      }
    }
  }

  private begin(checkpoint: Checkpoint | null): void {
    const { queue, reader, report, options: { applicationId, deliver } } = this
    this.progress = new Progress(checkpoint)
    this.dispatcher = new Dispatcher({ applicationId, deliver, queue, reader, report }, this.progress)
  }

  private end(reason: Reason): void {
    this.reason ??= reason
    this.endController.abort()
  }

  private async tick(): Promise<void> {
    const { lease } = this.options
    const isNudged = this.nudgeController.signal.aborted
    if (isNudged) this.nudgeController = new AbortController()
    try {
      if (await lease.isClaimed()) this.end('handover')
      else if (isNudged || this.progress.changed || lease.isDue) await this.save()
    }
    catch {
      // The store is unavailable; nothing is acknowledged meanwhile.
      if (!lease.isHeld) this.end('lost')
    }
    if (this.socket.detachedMs > STALLED_MS && !this.isIdentifying && !this.reason) {
      this.report('stalled')
      await this.socket.close()
      this.socket = this.build()
      void this.socket.open()
    }
  }

  /** Renews the lease first, so that a process that was suspended cannot overwrite its successor's data. */
  private async save(): Promise<void> {
    const { progress, options: { lease, store } } = this
    if (!await lease.renew()) return this.end('lost')
    if (progress.changed) {
      const checkpoint = progress.snapshot()
      progress.changed = false
      await store.save(checkpoint).catch((error) => {
        progress.changed = true
        throw error
      })
      if (checkpoint.session === progress.session) progress.savedSequence = checkpoint.sequence
    }
    const lastEventAt = this.dispatcher.lastEventAt ?? this.record.lastEventAt
    await store.saveRecord({ ...this.record, lastEventAt }, this.reason ? 0 : lease.leaseMs)
  }

  private build(): GatewaySocket {
    return new GatewaySocket({
      botToken: this.options.botToken,
      intents: INTENTS,
      session: () => {
        const { session, savedSequence: sequence } = this.progress
        return session && !this.isSessionLost ? { ...session, sequence } : null
      },
      gateway: () => this.reader.get('/gateway/bot'),
      mayIdentify: signal => this.mayIdentify(signal),
      identified: (session, sequence) => {
        // Packets sent before op 9 (session invalid) still name the old session.
        if (session.sessionId === this.progress.session?.sessionId) return
        this.isSessionLost = false
        this.progress.begin(session, sequence)
        this.record = { ...this.record, resumes: 0, connectedSince: Date.now() }
        this.report('identified')
      },
      ready: (guilds) => {
        this.progress.owe(guilds)
        this.nudgeController.abort()
      },
      resumed: () => {
        this.record = { ...this.record, resumes: this.record.resumes + 1, connectedSince: Date.now() }
        this.nudgeController.abort()
        this.report('resumed', { sequence: this.progress.savedSequence })
      },
      dispatch: payload => this.take(payload),
      lost: () => {
        if (!this.isSessionLost) this.report('session-lost')
        this.isSessionLost = true
      },
      detached: (why) => {
        this.record = { ...this.record, connectedSince: null }
        this.report('detached', { why })
      },
      refused: (why) => {
        this.refusal = why
        this.end('refused')
      },
    })
  }

  /** Waits for permission to IDENTIFY: only for the lease owner, rate-limited across replicas, and counted. */
  private async mayIdentify(signal: AbortSignal): Promise<void> {
    const { lease, store } = this.options
    const renewAndCount = async () => await lease.renew() && store.countIdentify().then(() => true)
    const abortRejection = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(new Error('The socket was closed.')), { once: true })
    })
    abortRejection.catch(() => {})
    this.isIdentifying = true
    try {
      while (!signal.aborted) {
        const waitMs = await store.identifyWaitMs().catch(() => 1000)
        if (waitMs > 0) await pause(waitMs, signal)
        else if (!this.reason && await renewAndCount().catch(() => false)) break
        else await Promise.race([abortRejection, pause(1000, signal)])
      }
      if (signal.aborted) return await abortRejection
    }
    finally {
      this.isIdentifying = false
    }
  }

  private take(payload: Dispatch): void {
    if (this.reason) return
    // The process was suspended: its successor receives this event, too.
    if (!this.options.lease.isHeld) return this.end('lost')
    try {
      this.dispatcher.take(payload)
    }
    catch (error) {
      // Don't rethrow: the error would end this process and, after the replay, the next one.
      this.options.log.error('discord.gateway.not-understood', { type: payload.t, error })
    }
  }

  private readonly onFailure = (reason: string): void => {
    const now = Date.now()
    this.record = { ...this.record, lastForwardError: { at: now, reason } }
    if (now < this.nextLogAt) return
    this.nextLogAt = now + LOG_INTERVAL_MS
    this.options.log.warn('discord.gateway.delivery-failed', { reason })
  }

  private readonly bury = async (letter: DeadLetter, reason: string): Promise<void> => {
    await this.options.store.bury(letter, reason)
    this.options.log.error('discord.gateway.event-given-up', { ...letter, reason })
  }

  private readonly report = (event: string, facts: Record<string, unknown> = {}): void => {
    this.options.log.info(`discord.gateway.${event}`, { owner: this.record.owner, ...facts })
    this.options.onStatus?.(event, facts)
  }
}

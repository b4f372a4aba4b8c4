import { LeaseOwner, type OwnerOptions } from '../../shared/listener/owner'
import { pause } from '../../shared/patience'
import { RestReader } from './directory'
import { Dispatcher } from './dispatcher'
import { INTENTS, type GatewayOptions } from './events'
import { Progress, type Checkpoint } from './progress'
import { EventQueue } from './queue'
import { GatewaySocket, type Dispatch } from './socket'
import type { GatewayStore } from './store'

/** Time for queued events at the end, ms; Discord replays the rest to the next listener */
const DRAIN_MS = 5000
/** Time after which an event is given up, ms */
const MAX_AGE_MS = 5 * 60_000
/** Time without a session after which the socket is rebuilt, ms */
const STALLED_MS = 60_000

interface ActiveOptions extends GatewayOptions, Omit<OwnerOptions, 'name'> {
  store: GatewayStore
  /** Last checkpoint that this process made as owner, in case the store has lost it */
  known: Checkpoint | null
}

/** Listener that holds the lease; all others stand by */
export class ActiveListener extends LeaseOwner<ActiveOptions & OwnerOptions> {
  private readonly queue: EventQueue
  private readonly reader: RestReader
  private progress!: Progress
  private dispatcher!: Dispatcher
  private socket: GatewaySocket
  private isSessionLost = false
  private isIdentifying = false

  constructor(options: ActiveOptions) {
    super({ ...options, name: 'discord.gateway' })
    this.reader = new RestReader(options.rest)
    this.queue = new EventQueue({ maxAgeMs: MAX_AGE_MS, onFailure: this.noteFailure, bury: this.bury })
    this.socket = this.build()
    this.begin(options.known)
  }

  get checkpoint(): Checkpoint {
    return this.progress.snapshot()
  }

  protected open(): void {
    void this.socket.open()
  }

  /** Delivers queued events; Discord replays the rest. */
  protected close(): Promise<unknown> {
    return Promise.all([this.socket.close(), this.queue.end(this.reason === 'lost' ? 0 : DRAIN_MS)])
  }

  protected override async restore(): Promise<Record<string, unknown>> {
    this.begin(await this.options.store.load() ?? this.options.known)
    return { resumes: this.progress.session !== null, sequence: this.progress.savedSequence }
  }

  private begin(checkpoint: Checkpoint | null): void {
    const { queue, reader, report, options: { applicationId, deliver } } = this
    this.progress = new Progress(checkpoint)
    this.dispatcher = new Dispatcher({ applicationId, deliver, queue, reader, report }, this.progress)
  }

  protected override hasProgress(): boolean {
    return this.progress.changed
  }

  protected override async saveProgress(): Promise<void> {
    const { progress, options: { store } } = this
    if (this.dispatcher.lastEventAt !== null) this.noteEvent(this.dispatcher.lastEventAt)
    if (!progress.changed) return
    const checkpoint = progress.snapshot()
    progress.changed = false
    await store.save(checkpoint).catch((error) => {
      progress.changed = true
      throw error
    })
    if (checkpoint.session === progress.session) progress.savedSequence = checkpoint.sequence
  }

  /** Rebuilds a stalled socket. */
  protected override async inspect(): Promise<void> {
    if (this.socket.detachedMs <= STALLED_MS || this.isIdentifying) return
    this.report('stalled')
    await this.socket.close()
    this.socket = this.build()
    void this.socket.open()
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
        this.connected('identified', { resumes: 0 })
      },
      ready: (guilds) => {
        this.progress.owe(guilds)
        this.nudge()
      },
      resumed: () => {
        this.connected('resumed', { resumes: this.record.resumes + 1 }, { sequence: this.progress.savedSequence })
        this.nudge()
      },
      dispatch: payload => this.take(payload),
      lost: () => {
        if (!this.isSessionLost) this.report('session-lost')
        this.isSessionLost = true
      },
      detached: why => this.detached(why),
      refused: why => this.refuse(why),
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
    if (!this.mayAct()) return
    try {
      this.dispatcher.take(payload)
    }
    catch (error) {
      // Don't rethrow: the error would end this process and, after the replay, the next one.
      this.options.log.error('discord.gateway.not-understood', { type: payload.t, error })
    }
  }
}

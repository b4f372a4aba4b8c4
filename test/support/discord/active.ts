import { memoryState } from '../sqlite'
import { vi } from 'vitest'
import { createHttpClient } from '../../../server/adapters/http/client'
import { ActiveListener } from '../../../server/platforms/discord/gateway/active-listener'
import type { EventData, GatewayOptions } from '../../../server/platforms/discord/gateway/events'
import { Lease } from '../../../server/platforms/shared/listener/lease'
import type { Checkpoint } from '../../../server/platforms/discord/gateway/progress'
import { GatewayStore } from '../../../server/platforms/discord/gateway/store'
import { createDiscordRest } from '../../../server/platforms/discord/api/rest'
import { silentLog } from '../../fakes/runtime'
import { until } from '../until'
import { startDiscord } from './discord'

/** Lease with minutes between a listener's regular checks, so that it checks the store only after an event, ms */
export const LONG_MS = 6_000_000

interface Owner {
  leaseMs?: number
  known?: Checkpoint | null
  deliver?: (event: EventData) => Promise<void>
  log?: GatewayOptions['log']
}

/** Listener in this process between a Discord double and a store. The clock moves only when a test advances it. */
export class Owning {
  /** Status events of the listener's session */
  said: string[] = []
  /** Reason why the listener ended */
  running: Promise<string> = Promise.resolve('')
  private over = new AbortController()

  private constructor(
    readonly discord: Awaited<ReturnType<typeof startDiscord>>,
    readonly state = memoryState(), readonly store = new GatewayStore(state, discord.applicationId),
  ) {}

  static async open(): Promise<Owning> {
    vi.useFakeTimers({ toFake: ['Date', 'performance'] })
    const owning = new Owning(await startDiscord())
    await owning.state.connect()
    return owning
  }

  get signal(): AbortSignal {
    return this.over.signal
  }

  /** Starts a listener that holds the lease. */
  async begin({ leaseMs = LONG_MS, known = null, deliver = async () => {}, log = silentLog }: Owner = {}) {
    const { state, store, signal, discord: { botToken, applicationId, restUrl: apiUrl } } = this
    const lease = new Lease(state, store.key, leaseMs)
    await lease.take('claim', signal)
    const listener = new ActiveListener({
      state, botToken, applicationId, leaseMs, store, lease, signal, known, endsAt: null, owner: 'this one',
      deliver: ({ data }) => deliver(data as EventData),
      log: { ...log, info: event => void this.said.push(event.replace('discord.gateway.', '')) },
      rest: createDiscordRest({ botToken, apiUrl }, createHttpClient()),
    })
    this.running = listener.run()
    return { lease, listener }
  }

  /** Starts a listener, and waits until it has a session. */
  async start(owner: Owner = {}) {
    const begun = await this.begin(owner)
    await until('the session', () => this.said.includes('identified') || this.said.includes('resumed'))
    return begun
  }

  /** Tells the listener to end. */
  end(): void {
    this.over.abort()
  }

  /** Ends the listener so that another one can take over. */
  async handOver(): Promise<void> {
    this.end()
    await this.running
    this.over = new AbortController()
    this.said = []
  }

  pass(ms: number): void {
    vi.setSystemTime(Date.now() + ms)
  }

  /** Emits a user's message that is delivered; returns its id. */
  say(): string {
    return this.discord.emitMessage({ content: 'help' }).id
  }

  async close(): Promise<void> {
    await this.handOver()
    await this.discord.close()
    vi.useRealTimers()
  }
}

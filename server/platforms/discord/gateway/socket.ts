import { WebSocketManager, WebSocketShardEvents as Shard } from '@discordjs/ws'
import { pause } from '../../shared/patience'
import { DeliveryFailed, UnexpectedAnswer } from './events'
import type { Session } from './progress'

/** Close code that discord.js uses to resume; any code but 1000 and 1001 keeps the session */
const KEEP_SESSION = 4200
const CLOSE_TIMEOUT_MS = 1000
/** Timeout of a handshake, ms: short, because a socket can be closed only after it has connected or failed */
const HANDSHAKE_TIMEOUT_MS = 5000
const LONGEST_PAUSE_MS = 30_000
/** Failures in a row after which the general gateway address replaces the one in READY */
const RESUME_HOST_TRIES = 2

/** https://discord.com/developers/docs/topics/opcodes-and-status-codes#gateway-gateway-close-event-codes */
const REFUSALS: Readonly<Record<number, string>> = {
  4004: 'Discord refuses the bot token; check PLATFORM2_BOT_TOKEN.',
  4010: 'Discord refuses the shard. This is a bug; please report it.',
  4011: 'The bot is in too many servers for one connection.',
  4012: 'Discord refuses the API version. This is a bug; please report it.',
  4013: 'Discord refuses the intents. This is a bug; please report it.',
  4014: 'Switch on the Message Content intent of the bot in the Discord developer portal.',
}
/** Close codes after which Discord asks for a new session: invalid sequence, session timed out */
const SESSION_OVER_CODES: readonly number[] = [4007, 4009]

const never = new Promise<never>(() => {})

export interface Dispatch {
  t: string
  s: number
  d: unknown
}

interface GatewayInformation {
  url: string
  session_start_limit: { remaining: number, reset_after: number }
}

export interface SocketHooks {
  botToken: string
  intents: number
  /** Session to resume; null starts a new one. Synchronous, because packets do not stay in order across an await. */
  session: () => Session & { sequence: number } | null
  /** GET /gateway/bot. */
  gateway: () => Promise<GatewayInformation>
  /** Resolves when an IDENTIFY is allowed; must not reject unless `signal` aborted */
  mayIdentify: (signal: AbortSignal) => Promise<void>
  /** Called at READY, before any other event of the new session */
  identified: (session: Session, sequence: number) => void
  /** Called at READY after `identified`, with the guilds whose GUILD_CREATE follows */
  ready: (guilds: string[]) => void
  resumed: () => void
  dispatch: (payload: Dispatch) => void
  /** Called when the session no longer exists */
  lost: () => void
  detached: (why: string) => void
  refused: (why: string) => void
}

/** Connection by `WebSocketManager`, which reconnects and resumes by itself until it is closed */
export class GatewaySocket {
  private manager: WebSocketManager | undefined
  private readonly closeController = new AbortController()
  /** True between HELLO and the end of the socket: only then can Discord end the session */
  private isGreeted = false
  /** Aborted when a connecting socket gets HELLO or fails; null while none connects */
  private connectController: AbortController | null = null
  private failureCount = 0
  private detachedAt: number | null = Date.now()
  private gatewayUrl: string | undefined

  constructor(private readonly hooks: SocketHooks) {}

  /** Time without an attached session, ms */
  get detachedMs(): number {
    return this.detachedAt === null ? 0 : Date.now() - this.detachedAt
  }

  /** Connects; retries until that succeeds or the socket is closed. */
  async open(): Promise<void> {
    for (let attempt = 0; !this.isClosed; attempt++) {
      const manager = this.manager = this.build()
      try {
        return await manager.connect()
      }
      catch (error) {
        if (this.isClosed) return
        this.hooks.detached(String(error))
        await this.destroy()
        await pause(Math.min(500 * 2 ** attempt, LONGEST_PAUSE_MS), this.closeController.signal)
      }
    }
  }

  /** Closes the socket but leaves the session for the next listener. */
  async close(): Promise<void> {
    this.closeController.abort()
    await this.destroy()
  }

  private get isClosed(): boolean {
    return this.closeController.signal.aborted
  }

  private async destroy(): Promise<void> {
    // A socket that is destroyed while it connects loses its error handler, and its failure would end the process.
    if (this.connectController) await pause(HANDSHAKE_TIMEOUT_MS + 500, this.connectController.signal)
    // Closing a socket takes half a minute if the other end is gone.
    await Promise.race([this.manager?.destroy({ code: KEEP_SESSION, reason: 'handover' }), pause(CLOSE_TIMEOUT_MS)])
  }

  private build(): WebSocketManager {
    const { hooks } = this
    const manager = new WebSocketManager({
      token: hooks.botToken, intents: hooks.intents, shardCount: 1, shardIds: [0],
      compression: null, handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
      // The library makes no other request, so @discordjs/rest stays unused.
      rest: { get: () => this.loadGatewayInformation() } as never,
      retrieveSessionInfo: () => this.waitForSession() as never,
      updateSessionInfo: (_, info) => {
        // The library also passes null on every destroy and network error.
        if (!info) return this.isGreeted && !this.isClosed ? hooks.lost() : undefined
        const { sessionId, resumeURL, sequence } = info
        if (sessionId !== hooks.session()?.sessionId) hooks.identified({ sessionId, resumeURL }, sequence)
      },
      buildIdentifyThrottler: () => ({ waitForIdentify: (_, signal) => hooks.mayIdentify(signal) }),
    })
    manager.on(Shard.Hello, () => {
      this.isGreeted = true
      this.finishConnecting()
    })
    manager.on(Shard.Closed, code => this.handleClose(code))
    manager.on(Shard.Error, () => { /* Its close code was handled. */ })
    manager.on(Shard.Ready, ({ guilds }) => {
      this.markAttached()
      hooks.ready(guilds.map(({ id }) => id))
    })
    manager.on(Shard.Resumed, () => {
      this.markAttached()
      hooks.resumed()
    })
    manager.on(Shard.Dispatch, payload => hooks.dispatch(payload as Dispatch))
    return manager
  }

  private markAttached(): void {
    this.failureCount = 0
    this.detachedAt = null
  }

  private finishConnecting(): void {
    this.connectController?.abort()
    this.connectController = null
  }

  private handleClose(code: number): void {
    this.finishConnecting()
    this.isGreeted = false
    this.detachedAt ??= Date.now()
    if (this.isClosed) return
    this.failureCount++
    this.hooks.detached(`close code ${code}`)
    if (SESSION_OVER_CODES.includes(code)) this.hooks.lost()
    if (REFUSALS[code]) this.hooks.refused(REFUSALS[code])
  }

  /** Called by @discordjs/ws with every packet, and before each connection, which is delayed after failures. */
  private waitForSession() {
    // After destroy() during HELLO or READY, the library would connect again.
    if (this.isClosed) return never
    if (this.isGreeted) return this.readSession()
    if (this.failureCount < 2) return this.startConnecting()
    const waitMs = Math.min(250 * 2 ** this.failureCount, LONGEST_PAUSE_MS) * (0.5 + Math.random() / 2)
    return pause(waitMs, this.closeController.signal).then(() => this.isClosed ? never : this.startConnecting())
  }

  private startConnecting() {
    this.connectController ??= new AbortController()
    return this.readSession()
  }

  private readSession() {
    const session = this.hooks.session()
    if (!session) return null
    const resumeURL = this.failureCount >= RESUME_HOST_TRIES && this.gatewayUrl ? this.gatewayUrl : session.resumeURL
    return { ...session, resumeURL, shardId: 0, shardCount: 1 }
  }

  /**
   * Lets a RESUME, which needs no IDENTIFY, work even if the IDENTIFY budget is used up or the REST API is unavailable.
   */
  private async loadGatewayInformation() {
    const session = this.hooks.session()
    const information = await this.hooks.gateway().then(checkInformation).catch((error) => {
      if (!session && error instanceof DeliveryFailed && error.permanent) this.hooks.refused(error.message)
      if (!session) throw error
      return { url: session.resumeURL, session_start_limit: { remaining: 1, reset_after: 0 } }
    })
    this.gatewayUrl = information.url
    const { session_start_limit: limit } = information
    const remaining = session ? Math.max(limit.remaining, 1) : limit.remaining
    return { shards: 1, ...information, session_start_limit: { ...limit, remaining } }
  }
}

function checkInformation(information: GatewayInformation): GatewayInformation {
  const { url, session_start_limit: limit } = information ?? {}
  if (typeof url !== 'string' || typeof limit?.remaining !== 'number') throw new UnexpectedAnswer()
  return information
}

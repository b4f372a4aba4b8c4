import type { StateAdapter } from 'chat'
import type { Log } from '../../../ports/runtime'
import { ListenerRefused } from '../../connection'
import type { DiscordRest } from '../rest'

/** Guilds, their messages and reactions, direct messages and theirs, message content (https://discord.com/developers/docs/events/gateway#list-of-intents). */
export const INTENTS = 1 << 0 | 1 << 9 | 1 << 10 | 1 << 12 | 1 << 13 | 1 << 15

/** What the bot uses. Everything else is acknowledged and goes nowhere. */
export const DELIVERED: ReadonlySet<string> = new Set(['MESSAGE_CREATE', 'MESSAGE_REACTION_ADD', 'MESSAGE_REACTION_REMOVE', 'INTERACTION_CREATE'])

/** A gateway event as the SDK's adapter takes it in, with an id that stays the same when Discord replays it. */
export interface ForwardedEvent {
  /** `<session>:<sequence>`; `message:<id>` where it was read from the channel because the session was lost. */
  id: string
  type: `GATEWAY_${string}`
  /** Epoch ms at which it was handed on. */
  timestamp: number
  data: unknown
}

/** The fields that are read here; the rest is passed on as it came. */
export interface EventData {
  id?: string
  channel_id?: string
  guild_id?: string
  channel_type?: number
  author?: { id: string }
  user_id?: string
  member?: unknown
  message_id?: string
  emoji?: { id?: string | null, name?: string | null }
}

/**
 * Delivers one event: resolves when it was handled, rejects otherwise. A rejection may say `permanent: true` (trying
 * again is of no use) or `retryAfterMs`. When `signal` aborts, the event is Discord's to replay.
 */
export type Deliver = (event: ForwardedEvent, signal?: AbortSignal) => Promise<void>

export interface GatewayOptions {
  state: StateAdapter
  botToken: string
  applicationId: string
  rest: DiscordRest
  deliver: Deliver
  log: Log
  /** Who listens, for the ops page: a host or deployment name. */
  owner?: string
  /** How long a listener that died blocks the next one, ms. */
  leaseMs?: number
  /** How long one event is tried before it is given up, ms. */
  maxAgeMs?: number
  /** Told about every change, besides the log. */
  onStatus?: (what: string, facts: Record<string, unknown>) => void
}

/** A try that failed. */
export class DeliveryFailed extends Error {
  readonly permanent: boolean
  readonly retryAfterMs: number

  constructor(message: string, { permanent = false, retryAfterMs = 0 } = {}) {
    super(message)
    this.name = 'DeliveryFailed'
    this.permanent = permanent
    this.retryAfterMs = retryAfterMs
  }
}

/** Discord refuses to be listened to, and will until a setting is changed. */
export class GatewayRefused extends ListenerRefused {
  constructor(message: string) {
    super(message)
    this.name = 'GatewayRefused'
  }
}

import { randomUUID } from 'node:crypto'
import type { StateAdapter } from 'chat'
import type { Log } from '../../../ports/runtime'
import type { DiscordRest } from '../api/rest'

/**
 * Guilds, their messages and reactions, direct messages and theirs, message content.
 *
 * https://discord.com/developers/docs/events/gateway#list-of-intents
 */
export const INTENTS = 1 << 0 | 1 << 9 | 1 << 10 | 1 << 12 | 1 << 13 | 1 << 15

/** What the bot uses. Everything else is acknowledged and goes nowhere. */
export const DELIVERED: ReadonlySet<string> = new Set([
  'MESSAGE_CREATE', 'MESSAGE_DELETE', 'MESSAGE_DELETE_BULK', 'MESSAGE_REACTION_ADD', 'MESSAGE_REACTION_REMOVE',
  'INTERACTION_CREATE',
])

/** How long an event is remembered, ms: longer than anything is replayed or read back after. */
const REMEMBERED_MS = 24 * 3_600_000

/** Refusals of the event itself. Others (401, 404, 429 …) speak of the route or its settings: those may change. */
const PERMANENT: readonly number[] = [400, 410, 413, 415, 422]

/** A gateway event as the SDK's adapter takes it in, with an id that stays the same when Discord replays it. */
export interface ForwardedEvent {
  /** `<session>:<sequence>`; `message:<id>` where it was read from the channel because the session was lost. */
  id: string
  type: `GATEWAY_${string}`
  /** Epoch ms at which it was handed on. */
  timestamp: number
  data: unknown
  /** What is noted of it as seen: for the next try the same only where this one was answered as `UNCHECKED`. */
  note?: string
}

/** The header of an answer that nothing was done, as the store could not tell whether the event is a repetition. */
export const UNCHECKED = 'x-discord-gateway-unchecked'

/** The fields that are read here; the rest is passed on as it came. */
export interface EventData {
  id?: string
  /** Of a message, or an interaction. */
  type?: number
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
  /** How long a listener that died blocks the next one, ms; Discord replays the gap. */
  leaseMs: number
  /** Told about every change, besides the log. */
  onStatus?: (what: string, facts: Record<string, unknown>) => void
}

export class DeliveryFailed extends Error {
  readonly permanent: boolean
  readonly retryAfterMs: number
  /** Answered as `UNCHECKED`. */
  readonly unchecked: boolean

  constructor(message: string, { permanent = false, retryAfterMs = 0, unchecked = false } = {}) {
    super(message)
    this.name = 'DeliveryFailed'
    this.permanent = permanent
    this.retryAfterMs = retryAfterMs
    this.unchecked = unchecked
  }
}

/** An answer that says 200 and is none, as of a proxy in between: it is asked for again. */
export class UnexpectedAnswer extends DeliveryFailed {
  constructor() {
    super('Discord answered with something else than was asked for.')
  }
}

/**
 * Delivers by POST to our own webhook route, as the SDK's adapter expects it: the header carries the bot's token.
 *
 * @param webhookUrl from the configuration, never from a request; redirects are not followed: the token would go along
 * @param timeoutMs bound of one try; longer than a handler takes, or de-duplication has to stop the next one
 */
export function forwardTo(webhookUrl: string, botToken: string, timeoutMs: number): Deliver {
  return async (event, signal) => {
    const response = await fetch(webhookUrl, {
      method: 'POST',
      redirect: 'manual',
      headers: { 'content-type': 'application/json', 'x-discord-gateway-token': botToken },
      body: JSON.stringify(event),
      signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), ...signal ? [signal] : []]),
    }).catch((error: Error) => {
      throw new DeliveryFailed(error.name === 'TimeoutError' ? `no answer in ${timeoutMs / 1000} s` : 'no connection')
    })
    await response.body?.cancel()
    const { status, headers, ok } = response
    if (ok) return
    const advice = status >= 300 && status < 400 ? ': the site URL leads elsewhere, check NUXT_PUBLIC_SITE_URL' : ''
    const retryAfterMs = (Number(headers.get('retry-after')) || 0) * 1000
    const [permanent, unchecked] = [PERMANENT.includes(status), headers.has(UNCHECKED)]
    throw new DeliveryFailed(`HTTP ${status}${advice}`, { permanent, retryAfterMs, unchecked })
  }
}

/**
 * Whether this event is here for the first time in 24 h; the answer is true once, whoever asks.
 * Call `forgetDelivery` when handling it fails, so that the next try is not taken for a repetition.
 *
 * @throws when the store cannot tell; it may have taken the note all the same, which the next try knows for its own
 */
export async function firstDelivery(state: StateAdapter, event: ForwardedEvent): Promise<boolean> {
  const [key, note] = [seenKey(event), event.note ?? randomUUID()]
  return await state.setIfNotExists(key, note, REMEMBERED_MS) || await state.get(key) === note
}

export function forgetDelivery(state: StateAdapter, event: ForwardedEvent): Promise<void> {
  return state.delete(seenKey(event))
}

/**
 * A message or interaction is the same thing in whatever session it arrives, replayed or read back. A reaction has no
 * id and may be added, removed and added again: only its place in the session tells a repetition from a change of mind.
 */
function seenKey({ id, type, data }: ForwardedEvent): string {
  const own = (data as EventData | null)?.id
  if (own && type === 'GATEWAY_MESSAGE_CREATE') return `discord-gateway:seen:message:${own}`
  if (own && type === 'GATEWAY_INTERACTION_CREATE') return `discord-gateway:seen:interaction:${own}`
  return `discord-gateway:seen:${id}`
}

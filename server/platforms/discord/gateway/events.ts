import { randomUUID } from 'node:crypto'
import type { StateAdapter } from 'chat'
import type { Log } from '../../../ports/runtime'
import type { DiscordRest } from '../api/rest'

/**
 * Guilds, their messages and reactions, direct messages and their reactions, message content
 *
 * https://discord.com/developers/docs/events/gateway#list-of-intents
 */
export const INTENTS = 1 << 0 | 1 << 9 | 1 << 10 | 1 << 12 | 1 << 13 | 1 << 15

/** Events that the bot uses; all others are acknowledged and ignored */
export const DELIVERED: ReadonlySet<string> = new Set([
  'MESSAGE_CREATE', 'MESSAGE_DELETE', 'MESSAGE_DELETE_BULK', 'MESSAGE_REACTION_ADD', 'MESSAGE_REACTION_REMOVE',
  'INTERACTION_CREATE',
])

/** Time for which an event is remembered, ms: longer than any replay or backfill reaches */
const SEEN_TTL_MS = 24 * 3_600_000

/** Statuses that refuse the event itself. Others (401, 404, 429 …) concern the route or settings that may change. */
const PERMANENT_STATUSES: readonly number[] = [400, 410, 413, 415, 422]

/** Gateway event in the format of the SDK's adapter, with an id that stays the same in a replay */
export interface ForwardedEvent {
  /** `<session>:<sequence>`; `message:<id>` if it was read from the channel because the session was lost */
  id: string
  type: `GATEWAY_${string}`
  /** Time of forwarding, epoch ms */
  timestamp: number
  data: unknown
  /** Value that marks the event as seen. The next try reuses it only if this one was answered as `UNCHECKED`. */
  note?: string
}

/** Response header: nothing was done, because the store could not tell if the event is a repetition */
export const UNCHECKED = 'x-discord-gateway-unchecked'

/** Fields that are read here; all others are passed on unchanged */
export interface EventData {
  id?: string
  /** Type of a message or an interaction */
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
 * Delivers one event: resolves once it is handled, rejects otherwise. A rejection may carry `permanent: true` (a retry
 * is useless) or `retryAfterMs`. After `signal` aborts, Discord replays the event.
 */
export type Deliver = (event: ForwardedEvent, signal?: AbortSignal) => Promise<void>

export interface GatewayOptions {
  state: StateAdapter
  botToken: string
  applicationId: string
  rest: DiscordRest
  deliver: Deliver
  log: Log
  /** Name of the listener for the ops page. Default: host and process */
  owner?: string
  /** Time for which a dead listener blocks the next one, ms; Discord replays the gap */
  leaseMs: number
}

export class DeliveryFailed extends Error {
  readonly permanent: boolean
  readonly retryAfterMs: number
  /** True if it was answered as `UNCHECKED` */
  readonly unchecked: boolean

  constructor(message: string, { permanent = false, retryAfterMs = 0, unchecked = false } = {}) {
    super(message)
    this.name = 'DeliveryFailed'
    this.permanent = permanent
    this.retryAfterMs = retryAfterMs
    this.unchecked = unchecked
  }
}

/** A 200 answer without the expected content, such as a proxy's; the request is retried */
export class UnexpectedAnswer extends DeliveryFailed {
  constructor() {
    super('Discord answered with something unexpected.')
  }
}

/**
 * Delivers by POST to our own webhook route in the format of the SDK's adapter: a header carries the bot's token.
 *
 * @param webhookUrl from the configuration, never from a request; redirects, which would get the token, are not
 * followed
 * @param timeoutMs limit of one try; longer than a handler takes, or de-duplication has to stop the next try
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
    const [permanent, unchecked] = [PERMANENT_STATUSES.includes(status), headers.has(UNCHECKED)]
    throw new DeliveryFailed(`HTTP ${status}${advice}`, { permanent, retryAfterMs, unchecked })
  }
}

/**
 * True if this event arrives for the first time in 24 h; only one caller gets true.
 * Call `forgetDelivery` if handling it fails, so that the next try does not count as a repetition.
 *
 * @throws if the store cannot tell; it may have stored the note anyway, which the next try then recognizes as its own
 */
export async function firstDelivery(state: StateAdapter, event: ForwardedEvent): Promise<boolean> {
  const [key, note] = [seenKey(event), event.note ?? randomUUID()]
  return await state.setIfNotExists(key, note, SEEN_TTL_MS) || await state.get(key) === note
}

export function forgetDelivery(state: StateAdapter, event: ForwardedEvent): Promise<void> {
  return state.delete(seenKey(event))
}

/**
 * Returns the key of a seen event. A message or interaction has the same id in every session, replayed or read back. A
 * reaction has no id and may be added, removed and added again: only its place in the session identifies it.
 */
function seenKey({ id, type, data }: ForwardedEvent): string {
  const dataId = (data as EventData | null)?.id
  if (dataId && type === 'GATEWAY_MESSAGE_CREATE') return `discord-gateway:seen:message:${dataId}`
  if (dataId && type === 'GATEWAY_INTERACTION_CREATE') return `discord-gateway:seen:interaction:${dataId}`
  return `discord-gateway:seen:${id}`
}

import type { Outcome } from '../../ports/delivery'
import type { HttpAnswer, HttpClient } from '../../ports/http'
import { refused, retryAfter } from '../shared/answers'

export interface DiscordSettings {
  botToken: string
  /** Ed25519 in hex; verifies interactions. */
  publicKey: string
  applicationId: string
  channelId: string
  /** Saves asking Discord once which server the channel is in. */
  guildId?: string
  /** Base URL of the REST API without a trailing slash; Discord's own when absent. */
  apiUrl?: string
}

export const DISCORD_API = 'https://discord.com/api/v10'

/** Who has no such name may be refused before the API is reached (https://discord.com/developers/docs/reference#user-agent). */
export const USER_AGENT = 'DiscordBot (https://chat-sdk.dev, 1)'

const REPORT = 'This is a bug; please report it.'

/** Where Discord limits the rate and does not say for how long, s. */
const LEAST_PAUSE_S = 1

const CHECK_TOKEN = 'Check PLATFORM2_BOT_TOKEN.'

const CHECK_CHANNEL = 'Check DISCORD_CHANNEL_ID.'

const CHECK_SERVER = 'Invite the bot to the server and let it see the channel, or change DISCORD_CHANNEL_ID.'
const ARCHIVED = 'The thread is archived or locked; open it again, or change DISCORD_CHANNEL_ID.'

/** Refusals that no retry changes, and what to check (https://discord.com/developers/docs/topics/opcodes-and-status-codes#json). */
const PERMANENT: Readonly<Record<number, string>> = {
  10003: CHECK_CHANNEL,
  10004: CHECK_SERVER,
  10008: 'The card was deleted.',
  40001: CHECK_TOKEN,
  40002: 'The account that the bot belongs to has to be verified.',
  50001: CHECK_SERVER,
  50005: 'The card belongs to another app; check PLATFORM2_BOT_TOKEN.',
  50008: CHECK_CHANNEL,
  50013: 'Give the bot the permissions Send Messages and Embed Links in the channel.',
  50014: CHECK_TOKEN,
  50024: CHECK_CHANNEL,
  50083: ARCHIVED,
  160002: 'Give the bot the permission Read Message History in the channel.',
  160005: ARCHIVED,
}

const BLOCKED = 'Discord does not let the bot post what the form says; the server\'s AutoMod or safety settings may.'

/** Refusals of what was sent, wherever it was sent to. */
const CONTENT: Readonly<Record<number, string>> = {
  20009: BLOCKED,
  40005: REPORT,
  50006: REPORT,
  50035: REPORT,
  50109: REPORT,
  200000: BLOCKED,
  200001: BLOCKED,
  240000: BLOCKED,
}

/** Unknown channel, unknown message, somebody else's message: the card is out of reach for good. */
const GONE = [10003, 10008, 50005]

export type DiscordCall = (method: 'GET' | 'POST' | 'PATCH', path: string, body?: object) => Promise<Outcome<Record<string, unknown>>>

/**
 * Calls the REST API as the bot.
 *
 * @param timeoutMs bound of one call
 */
export function createDiscordCall({ botToken, apiUrl = DISCORD_API }: Pick<DiscordSettings, 'botToken' | 'apiUrl'>, timeoutMs: number, http: HttpClient): DiscordCall {
  return async (method, path, body) => {
    try {
      const answer = await http({
        method, url: `${apiUrl}${path}`, timeoutMs,
        headers: { 'authorization': `Bot ${botToken}`, 'user-agent': USER_AGENT, ...body ? { 'content-type': 'application/json' } : {} },
        body: body && JSON.stringify(body),
      })
      const value = typeof answer.json === 'object' ? answer.json as Record<string, unknown> | null : null
      return answer.status >= 200 && answer.status < 300 && value ? { ok: true, value } : refusal(answer, value ?? {})
    }
    catch (error) {
      const cause = (error as { code?: string }).code === 'NO_ANSWER' ? `no answer in ${timeoutMs / 1000} s` : 'no connection'
      return { ok: false, permanent: false, reason: `Discord: ${cause}.` }
    }
  }
}

function refusal({ status, headers }: HttpAnswer, { code: sent, retry_after: seconds }: Record<string, unknown>): Outcome<never> {
  const pause = headers['retry-after']
  if (status === 429) {
    const told = [seconds, pause].find(value => retryAfter(value).retryAfterMs)
    return refused({ reason: 'Discord: too many requests', pause: told ?? LEAST_PAUSE_S })
  }
  const code = Number(sent)
  const reason = `Discord answered ${code ? `error ${code}` : `HTTP ${status}`}`
  if (status >= 500) return refused({ reason, pause })
  const advice = status === 401 ? CHECK_TOKEN : CONTENT[code] ?? PERMANENT[code]
  return refused({ reason, advice, content: CONTENT[code] !== undefined, gone: GONE.includes(code), pause })
}

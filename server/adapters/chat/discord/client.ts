import type { Outcome } from '../../../ports/delivery'
import type { HttpAnswer, HttpClient } from '../../../ports/http'

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

const REPORT = 'This is a bug; please report it.'

const CHECK_CHANNEL = 'Check DISCORD_CHANNEL_ID.'

/** Refusals that no retry changes, and what to check (https://discord.com/developers/docs/topics/opcodes-and-status-codes#json). */
const PERMANENT: Readonly<Record<number, string>> = {
  10003: CHECK_CHANNEL,
  10008: 'The card was deleted.',
  40001: 'Check PLATFORM2_BOT_TOKEN.',
  50001: `Invite the bot to the server and let it see the channel, or set another DISCORD_CHANNEL_ID.`,
  50005: 'The card belongs to another app; check PLATFORM2_BOT_TOKEN.',
  50008: CHECK_CHANNEL,
  50013: 'Give the bot the permissions Send Messages and Embed Links in the channel.',
  50024: CHECK_CHANNEL,
}

const BLOCKED = 'Discord does not let the bot post what the form says; the server\'s AutoMod or safety settings may.'

/** Refusals of what was sent, wherever it was sent to. */
const CONTENT: Readonly<Record<number, string>> = {
  20009: BLOCKED,
  40005: REPORT,
  50006: REPORT,
  50035: REPORT,
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
        headers: { authorization: `Bot ${botToken}`, ...body ? { 'content-type': 'application/json' } : {} },
        body: body && JSON.stringify(body),
      })
      const value = answer.json as Record<string, unknown> | null | undefined
      return answer.status >= 200 && answer.status < 300 && value ? { ok: true, value } : refusal(answer, value ?? {})
    }
    catch (error) {
      const cause = (error as { code?: string }).code === 'NO_ANSWER' ? `no answer in ${timeoutMs / 1000} s` : 'no connection'
      return { ok: false, permanent: false, reason: `Discord: ${cause}.` }
    }
  }
}

function refusal({ status, headers }: HttpAnswer, { code, retry_after: seconds }: Record<string, unknown>): Outcome<never> {
  if (status === 429) {
    const wait = Number(seconds) || Number(headers['retry-after']) || 1
    return { ok: false, permanent: false, reason: 'Discord: too many requests.', retryAfterMs: Math.ceil(wait * 1000) }
  }
  const content = status < 500 && CONTENT[Number(code)] !== undefined
  const advice = status === 401 ? 'Check PLATFORM2_BOT_TOKEN.' : CONTENT[Number(code)] ?? PERMANENT[Number(code)]
  const name = Number(code) ? `error ${Number(code)}` : `HTTP ${status}`
  return { ok: false, permanent: status < 500 && advice !== undefined, ...content ? { content } : {}, ...GONE.includes(Number(code)) ? { gone: true } : {}, reason: `Discord answered ${name}.${advice ? ` ${advice}` : ''}` }
}

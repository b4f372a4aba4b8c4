import { setTimeout as wait } from 'node:timers/promises'
import type { HttpAnswer, HttpClient, HttpMethod, HttpRequest } from '../../../ports/http'
import { refused, retryAfter, type FailedOutcome } from '../../shared/answers'

export interface DiscordSettings {
  botToken: string
  /** Ed25519 key in hex that verifies interactions */
  publicKey: string
  applicationId: string
  /** Channel of the default form's cards; undefined if Discord has none */
  channelId?: string
  /** Server of the channel; if absent, Discord is asked once */
  guildId?: string
  /** Base URL of the REST API without a trailing slash; Discord's own when absent. */
  apiUrl?: string
}

export const DISCORD_API = 'https://discord.com/api/v10'

/**
 * Name in the format that Discord asks for; it may refuse other clients early:
 * https://discord.com/developers/docs/reference#user-agent
 */
const USER_AGENT = 'DiscordBot (https://chat-sdk.dev, 1)'

/** Timeout of a call, ms: well below the lease of outstanding work, so that no webhook hangs when Discord does */
const TIMEOUT_MS = 10_000

/** Max pause before a retry, ms; a longer one would delay the caller too much */
const LONGEST_WAIT_MS = 1000

/** Pause if Discord limits the rate without naming a duration, s */
const MIN_PAUSE_S = 1

/** Pauses before a follow-up is repeated, ms: Discord refuses it until it has processed the first answer */
const FOLLOW_UP_PAUSES_MS = [300, 1000]
const UNKNOWN_WEBHOOK = '10015'

/**
 * Code for an archived thread. Threads are archived after some days without messages:
 * https://discord.com/developers/docs/topics/threads
 */
const ARCHIVED_THREAD = '50083'

/** https://discord.com/developers/docs/resources/message#message-object-message-flags */
const SUPPRESS_EMBEDS = 1 << 2

const REPORT_ADVICE = 'This is a bug; please report it.'
const CHECK_TOKEN = 'Check PLATFORM2_BOT_TOKEN.'

/**
 * Permanent refusals, with advice. `content`: every channel would refuse this content. `gone`: the card can never be
 * reached again.
 */
const REFUSALS: readonly { codes: readonly number[], advice: string, content?: true, gone?: true }[] = [
  { codes: [10003], advice: 'Check DISCORD_CHANNEL_ID.', gone: true },
  { codes: [50008, 50024], advice: 'Check DISCORD_CHANNEL_ID.' },
  { codes: [10008], advice: 'The card was deleted.', gone: true },
  { codes: [50005], advice: 'The card belongs to another app; check PLATFORM2_BOT_TOKEN.', gone: true },
  {
    codes: [10004, 50001],
    advice: 'Invite the bot to the server and let it see the channel, or change DISCORD_CHANNEL_ID.',
  },
  {
    codes: [20009, 200000, 200001, 240000], content: true,
    advice: 'Discord does not let the bot post what the form says; the server\'s AutoMod or safety settings may.',
  },
  { codes: [40001, 50014], advice: CHECK_TOKEN },
  { codes: [40002], advice: 'The account that the bot belongs to has to be verified.' },
  { codes: [40005, 50006, 50035, 50109], advice: REPORT_ADVICE, content: true },
  { codes: [50013], advice: 'Give the bot the permissions Send Messages and Embed Links in the channel.' },
  { codes: [50083, 160005], advice: 'The thread is archived or locked; open it again, or change DISCORD_CHANNEL_ID.' },
  { codes: [160002], advice: 'Give the bot the permission Read Message History in the channel.' },
]

/** A failed call. Its message quotes nothing that was sent. */
export class DiscordError extends Error {
  /**
   * @param refusal outcome with reason and advice
   * @param code Discord's error code or the HTTP status; without an answer, the code of the connection error
   * @param status HTTP status; 0 without an answer
   */
  constructor(readonly refusal: FailedOutcome, readonly code: string, readonly status = 0) {
    super(refusal.reason)
    this.name = 'DiscordError'
  }
}

export interface FileUpload {
  data: Buffer | Blob | ArrayBuffer
  filename: string
  mimeType?: string
}

export interface RestOptions {
  body?: object
  files?: readonly FileUpload[]
  timeoutMs?: number
  /** Max retries after short pauses that Discord asks for; after that, the caller has to retry */
  repeats?: number
}

/** Calls the REST API as the bot; resolves with the answer's JSON. @throws DiscordError */
export interface DiscordRest {
  <T = Record<string, unknown>>(method: HttpMethod, path: string, options?: RestOptions): Promise<T>
}

type Access = Pick<DiscordSettings, 'botToken' | 'apiUrl'>

export function createDiscordRest({ botToken, apiUrl = DISCORD_API }: Access, http: HttpClient): DiscordRest {
  const send = async (method: HttpMethod, path: string, { body, files, timeoutMs = TIMEOUT_MS }: RestOptions) => {
    // The path of an interaction contains its own token.
    const authorization = /^\/(?:interactions|webhooks)\//.test(path) ? undefined : { authorization: `Bot ${botToken}` }
    const content = await encodeBody(isMessage(path) && body ? limitPings(body) : body, files)
    const headers: Record<string, string> = { 'user-agent': USER_AGENT, ...authorization, ...content.headers }
    const request = { method, url: `${apiUrl}${path}`, timeoutMs, headers, body: content.body }
    const answer = await http(request).catch((error: { code?: string }) => {
      const reason = error.code === 'NO_ANSWER' ? `no answer in ${timeoutMs / 1000} s` : 'no connection'
      throw new DiscordError(refused({ reason: `Discord: ${reason}` }), error.code ?? '')
    })
    const isDone = answer.status >= 200 && answer.status < 300
    if (isDone && (answer.status === 204 || (typeof answer.json === 'object' && answer.json))) return answer.json
    throw toError(answer)
  }
  /** Opens an archived thread and repeats the call; a locked thread stays archived. */
  const sendOpening = (method: HttpMethod, path: string, options: RestOptions) => {
    return send(method, path, options).catch(async (error: DiscordError) => {
      const [thread] = /^\/channels\/\d+/.exec(path) ?? []
      if (error.code !== ARCHIVED_THREAD || !thread) throw error
      const opening = send('PATCH', thread, { timeoutMs: options.timeoutMs, body: { archived: false } })
      await opening.catch((failure: DiscordError) => {
        throw failure.refusal.permanent ? error : failure
      })
      return send(method, path, options)
    })
  }
  return async <T>(method: HttpMethod, path: string, options: RestOptions = {}) => {
    for (let attempt = 0; ; attempt++) {
      try {
        return await sendOpening(method, path, options) as T
      }
      catch (error) {
        const pauseMs = attempt < (options.repeats ?? 0) ? readShortPauseMs(error as DiscordError, attempt) : undefined
        if (pauseMs === undefined) throw error
        await wait(pauseMs)
      }
    }
  }
}

function toError({ status, headers, json }: HttpAnswer): DiscordError {
  const { code: rawCode, retry_after: seconds }
    = (typeof json === 'object' && json ? json : {}) as Record<string, unknown>
  const code = Number(rawCode) ? String(Number(rawCode)) : ''
  const pause = headers['retry-after']
  if (status === 429) {
    const retryAfterValue = [seconds, pause].find(value => retryAfter(value).retryAfterMs) ?? MIN_PAUSE_S
    return new DiscordError(refused({
      reason: 'Discord: too many requests', limited: true, pause: retryAfterValue,
    }), code || '429', status)
  }
  const reason = `Discord answered ${code ? `error ${code}` : `HTTP ${status}`}`
  const knownRefusal = REFUSALS.find(({ codes }) => codes.includes(Number(code)))
  const cause = status >= 500 ? {} : status === 401 ? { advice: CHECK_TOKEN } : knownRefusal
  return new DiscordError(refused({ reason, pause, ...cause }), code || String(status), status)
}

/** Returns the pause before a repetition, ms; undefined if a repetition is useless or the pause is too long. */
function readShortPauseMs({ code, status, refusal }: DiscordError, attempt: number): number | undefined {
  const { retryAfterMs = Infinity } = refusal
  if (code === UNKNOWN_WEBHOOK) return FOLLOW_UP_PAUSES_MS[attempt]
  return status === 429 && retryAfterMs <= LONGEST_WAIT_MS ? retryAfterMs : undefined
}

function isMessage(path: string): boolean {
  return path.startsWith('/webhooks/') || /\/messages(?:\/\d+)?$/.test(path)
}

/**
 * Limits pings to the people that a message lists. Turns link previews off: a message may quote a form, and Discord
 * requests every previewed link. Cards go without the flag, which would hide their embeds; links in embeds have no
 * previews.
 */
function limitPings(message: { embeds?: unknown[], flags?: number }): object {
  const flags = message.embeds?.length ? {} : { flags: (message.flags ?? 0) | SUPPRESS_EMBEDS }
  return { allowed_mentions: { parse: [] }, ...message, ...flags }
}

interface EncodedBody extends Pick<HttpRequest, 'body'> {
  headers: Record<string, string>
}

/** Encodes as JSON, or as a form with files (https://discord.com/developers/docs/reference#uploading-files). */
async function encodeBody(body?: object, files: readonly FileUpload[] = []): Promise<EncodedBody> {
  if (!body) return { headers: {} }
  if (files.length === 0) return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
  const form = new FormData()
  form.append('payload_json', JSON.stringify(body))
  files.forEach(({ data, filename, mimeType: type = 'application/octet-stream' }, index) => {
    form.append(`files[${index}]`, new Blob([data instanceof Blob ? data : new Uint8Array(data)], { type }), filename)
  })
  const multipart = new Response(form)
  const type = multipart.headers.get('content-type')!
  return { headers: { 'content-type': type }, body: new Uint8Array(await multipart.arrayBuffer()) }
}

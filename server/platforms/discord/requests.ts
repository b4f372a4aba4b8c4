import { setTimeout as wait } from 'node:timers/promises'
import { USER_AGENT } from './client'

/** Bound of a call that answers an interaction, ms. */
const TIMEOUT_MS = 5000

/** Bound of any other call through the SDK, ms; a webhook must not hang with Discord. */
const SDK_TIMEOUT_MS = 10_000

/** Longest `retry_after` that is waited for, s; more would hold up whoever waits. */
const LONGEST_WAIT_S = 1

/** Pauses before asking again, ms, while Discord has not seen the answer that a follow-up follows. */
const UNKNOWN_YET_MS = [300, 1000]
const UNKNOWN_WEBHOOK = 10015

/** https://discord.com/developers/docs/resources/message#message-object-message-flags */
const SUPPRESS_EMBEDS = 1 << 2

/**
 * A message of a handler, which may quote a form: it pings nobody, and shows no preview of a link, for which Discord
 * would ask the link's server. A card consists of embeds, which the flag would hide; links in those have no previews.
 */
export function quiet<T extends object>(message: T): T {
  const { embeds, flags } = message as { embeds?: unknown[], flags?: number }
  return { allowed_mentions: { parse: [] }, ...message, ...embeds?.length ? {} : { flags: (flags ?? 0) | SUPPRESS_EMBEDS } }
}

/** A message with files, as Discord takes them (https://discord.com/developers/docs/reference#uploading-files). */
export function withFiles(payload: object, files: readonly { data: Buffer | Blob | ArrayBuffer, filename: string, mimeType?: string }[]): FormData {
  const form = new FormData()
  form.append('payload_json', JSON.stringify(payload))
  files.forEach(({ data, filename, mimeType }, index) => {
    form.append(`files[${index}]`, new Blob([data instanceof Blob ? data : new Uint8Array(data)], { type: mimeType ?? 'application/octet-stream' }), filename)
  })
  return form
}

/** Sends JSON, or a form with files. Without the bot's token: the path of an interaction carries its own. */
export async function boundedFetch(url: string, method: string, body?: object, headers: Record<string, string> = {}): Promise<Response> {
  for (let attempt = 0; ; attempt++) {
    const pause = UNKNOWN_YET_MS[attempt] ?? null
    const response = await fetch(url, {
      method, signal: AbortSignal.timeout(TIMEOUT_MS),
      headers: { 'user-agent': USER_AGENT, ...headers, ...body && !(body instanceof FormData) ? { 'content-type': 'application/json' } : {} },
      body: body instanceof FormData ? body : body && JSON.stringify(body),
    })
    if (response.ok) return response
    const { code, retry_after: seconds } = await response.json().catch(() => ({})) as { code?: number, retry_after?: number }
    const pauseMs = code === UNKNOWN_WEBHOOK ? pause : response.status === 429 && Number(seconds) <= LONGEST_WAIT_S ? Number(seconds) * 1000 : null
    if (pause === null || pauseMs === null) throw Object.assign(new Error(`Discord answered HTTP ${response.status}.`), { name: 'DiscordInteractionError', code: String(code ?? response.status) })
    await wait(pauseMs)
  }
}

/** Bounds a call of the SDK, and repeats it once when Discord asks for a short pause. */
export async function retriedOnce(call: () => Promise<Response>): Promise<Response> {
  try {
    return await bounded(call())
  }
  catch (error) {
    const seconds = pauseOf(error)
    if (seconds === null || seconds > LONGEST_WAIT_S) throw error
    await wait(seconds * 1000)
    return bounded(call())
  }
}

function bounded(call: Promise<Response>): Promise<Response> {
  const late = wait(SDK_TIMEOUT_MS, undefined, { ref: false }).then(() => { throw new Error(`Discord: no answer in ${SDK_TIMEOUT_MS / 1000} s.`) })
  late.catch(() => {})
  return Promise.race([call, late])
}

/** Seconds to wait, when this is a refusal for too many requests: the SDK keeps status and body of the answer. */
function pauseOf(error: unknown): number | null {
  const { originalError: answer } = error as { originalError?: Error & { status?: number } }
  if (answer?.status !== 429) return null
  try {
    const { retry_after: seconds } = JSON.parse(answer.message) as { retry_after?: unknown }
    return typeof seconds === 'number' ? seconds : null
  }
  catch {
    return null
  }
}

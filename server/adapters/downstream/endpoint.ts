import type { Endpoint, Outcome, Posted } from '../../ports/delivery'
import type { HttpAnswer, HttpClient, HttpMethod } from '../../ports/http'

export interface EndpointOptions {
  url: string
  /**
   * Standard Webhooks secrets: base64, with or without the prefix `whsec_`. Each one signs, in this order, so that the
   * receiver can change from one to another.
   */
  signingSecrets?: readonly string[]
  method?: HttpMethod & ('POST' | 'PUT' | 'PATCH')
  /** Further headers, such as a token. They replace none of ours. */
  headers?: Readonly<Record<string, string>>
  /** Timeout of a request, ms. */
  timeoutMs?: number
  /** Host to which the receiver redirects for its answer. Absent if redirects are not followed. */
  follow?: string
  /** JSON that the answer must contain. Absent if only the status matters. */
  expect?: unknown
}

/**
 * Max pause that an answer may ask for, ms; a longer one is taken as a mistake and shortened. `backoff.ts` of the
 * domain decides how much of the pause to wait.
 */
const MAX_PAUSE_MS = 24 * 60 * 60 * 1000

/** 4xx statuses that are temporary. */
const TEMPORARY_STATUSES = [408, 409, 425, 429]

/** 4xx statuses with which every submission would be answered now. */
const OUTAGE_STATUSES = [401, 403, 408, 429]

/** 4xx statuses about the address or the way to it, not about a submission. */
const ADDRESS_STATUSES = [404, 405, 407, 410]

/** Max characters of an answer that are kept. */
const MAX_ANSWER = 1000

/** Shortest part of an address or a header that is taken for a secret, characters. */
const SECRET_LENGTH = 8

/** Control characters that no text has. */
const BINARY = /[^\P{Cc}\s]/u

/**
 * Posts submissions to a downstream system, signed as https://www.standardwebhooks.com says. The body of a success is
 * only compared with `expect`. The beginning of a failed answer becomes `answer`, and is no part of `reason`.
 */
export function createEndpoint(options: EndpointOptions, http: HttpClient): Endpoint {
  const { url, signingSecrets = [], method = 'POST', timeoutMs = 10_000, follow, expect } = options
  let signer: Promise<Signer> | undefined
  const { host } = new URL(url)
  const ownHeaders = Object.fromEntries(
    Object.entries(options.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
  )
  const limits = { timeoutMs, ignoreBody: expect === undefined }
  return {
    host, url,
    async post(body, idempotencyKey) {
      try {
        const sign = signingSecrets.length > 0 ? await (signer ??= createSigner(signingSecrets)) : undefined
        const headers = {
          ...ownHeaders, 'content-type': 'application/json', 'idempotency-key': idempotencyKey,
          ...webhookHeaders(body, idempotencyKey, sign),
        }
        const firstAnswer = await http({ method, url, headers, body, ...limits })
        const answerUrl = follow === undefined ? undefined : redirectOf(firstAnswer, follow)
        // The receiver has done its work before it redirects. Send it no header of ours, and no data again.
        const answer = answerUrl ? await http({ method: 'GET', url: answerUrl, headers: {}, ...limits }) : firstAnswer
        const isUnexpected = expect !== undefined && isSuccess(answer) && !contains(answer.json, expect)
        const outcome = isUnexpected
          ? retry(`${host} answered ${answer.status}, but without what "expect" of its destination asks for.`)
          : toOutcome(answer, host)
        return outcome.ok ? outcome : { ...outcome, ...readAnswer(answer, options) }
      }
      catch (error) {
        if (error instanceof UnusableSecret) return { ok: false, reason: error.message, permanent: true }
        // For example ECONNREFUSED. The code tells a wrong host from a closed port or a bad certificate.
        const { code } = error as { code?: string }
        const reason = code === 'NO_ANSWER'
          ? `${host} did not answer within ${timeoutMs / 1000} s.`
          : `${host} cannot be reached${code ? ` (${code})` : ''}.`
        return { ...retry(reason), outage: true }
      }
    },
  }
}

class UnusableSecret extends Error {}

type Signer = (id: string, at: Date, body: string) => string

/** @throws UnusableSecret */
async function createSigner(secrets: readonly string[]): Promise<Signer> {
  const { Webhook } = await import('standardwebhooks')
  try {
    const webhooks = secrets.map(secret => new Webhook(secret))
    return (id, at, body) => webhooks.map(webhook => webhook.sign(id, at, body)).join(' ')
  }
  catch {
    throw new UnusableSecret('FORWARD_SIGNING_SECRET is not a Standard Webhooks secret (whsec_ and base64), so nothing can be signed.')
  }
}

function webhookHeaders(body: string, id: string, sign: Signer | undefined): Record<string, string> {
  const now = new Date()
  return {
    'webhook-id': id, 'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
    ...sign ? { 'webhook-signature': sign(id, now, body) } : {},
  }
}

/** Returns the URL of a redirect to this host by GET; undefined for any other answer. */
function redirectOf({ status, headers: { location } }: HttpAnswer, host: string): string | undefined {
  if (![301, 302, 303].includes(status) || typeof location !== 'string' || !URL.canParse(location)) return undefined
  const target = new URL(location)
  return target.protocol === 'https:' && target.host === host ? target.href : undefined
}

/** True if all of `part` is in the JSON: an object may have further members, a list and any other value not. */
function contains(json: unknown, part: unknown): boolean {
  if (typeof part !== 'object' || part === null) return json === part
  if (typeof json !== 'object' || json === null || Array.isArray(json) !== Array.isArray(part)) return false
  const isWhole = !Array.isArray(part) || part.length === (json as unknown[]).length
  return isWhole && Object.entries(part).every(([key, each]) => (
    Object.hasOwn(json, key) && contains(json[key as keyof typeof json], each)
  ))
}

function isSuccess({ status }: HttpAnswer): boolean {
  return status >= 200 && status < 300
}

/** @param host of the endpoint that answered */
function toOutcome(answer: HttpAnswer, host: string): Outcome<Posted> {
  const { status, headers } = answer
  if (isSuccess(answer)) return { ok: true, value: { status } }
  if (status >= 300 && status < 400) {
    return {
      ok: false, permanent: true,
      reason: `${host} has moved (${status}). Set FORWARD_ENDPOINT, or "endpoint" of its form, to the new URL; redirects are not followed.`,
    }
  }
  if (status >= 400 && status < 500 && !TEMPORARY_STATUSES.includes(status)) {
    const advice = [401, 403].includes(status)
      ? ': its token, and FORWARD_SIGNING_SECRET'
      : `; the log of ${host} says why`
    return {
      ok: false, permanent: true,
      reason: `${host} refused the submission (${status}). Check FORWARD_ENDPOINT, or "endpoint" of its form${advice}.`,
    }
  }
  return {
    ...retry(`${host} answered ${status}.`), ...status === 429 && { limited: true },
    ...readRetryAfter(headers['retry-after']),
  }
}

/** Returns what a failed answer says of itself. */
function readAnswer(
  { status, beginning, json }: HttpAnswer, options: EndpointOptions,
): Pick<Outcome & { ok: false }, 'status' | 'answer' | 'outage' | 'content'> {
  const received = beginning || json === undefined ? decode(beginning) : JSON.stringify(json)
  const answer = hideSecrets(received, options).slice(0, MAX_ANSWER).toWellFormed()
  const isOutage = status >= 500 || OUTAGE_STATUSES.includes(status)
  const isContent = status >= 400 && !isOutage && !TEMPORARY_STATUSES.includes(status)
    && !ADDRESS_STATUSES.includes(status)
  return {
    status, ...answer && { answer }, ...isOutage && { outage: true as const }, ...isContent && { content: true },
  }
}

/** Returns the text; empty if it is binary or not UTF-8. */
function decode(bytes: Uint8Array | undefined): string {
  try {
    // A character that is cut at the end is left out.
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true }).trim()
    return BINARY.test(text) ? '' : text
  }
  catch {
    return ''
  }
}

/** Removes tokens of the URL and of the headers, which an error page may quote. */
function hideSecrets(text: string, { url, headers = {} }: EndpointOptions): string {
  const { pathname, search } = new URL(url)
  const words = [
    ...`${pathname}${search}`.split(/[/?&=]/), ...Object.values(headers).flatMap(value => value.split(' ')),
  ]
  const secrets = words.filter(({ length }) => length >= SECRET_LENGTH).sort((a, b) => b.length - a.length)
  return secrets.reduce((hidden, secret) => hidden.replaceAll(secret, '***'), text)
}

/** Reads seconds or an HTTP date: https://www.rfc-editor.org/rfc/rfc9110#field.retry-after */
function readRetryAfter(value: HttpAnswer['headers'][string]): { retryAfterMs?: number } {
  if (typeof value !== 'string') return {}
  const pauseMs = /^\d+(?:\.\d+)?$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now()
  return Number.isNaN(pauseMs) ? {} : { retryAfterMs: Math.min(Math.max(pauseMs, 0), MAX_PAUSE_MS) }
}

function retry(reason: string) {
  return { ok: false as const, reason, permanent: false }
}

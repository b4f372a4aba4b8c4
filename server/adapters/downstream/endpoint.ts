import type { Endpoint, Outcome, Posted } from '../../ports/delivery'
import type { HttpAnswer, HttpClient } from '../../ports/http'

export interface EndpointOptions {
  url: string
  /** Standard Webhooks secret: base64, with or without the prefix `whsec_`. */
  signingSecret?: string
  /** Timeout of a request, ms. */
  timeoutMs?: number
  /** Further headers, such as a token of the receiver. */
  headers?: Readonly<Record<string, string>>
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

/**
 * Posts submissions to a downstream system, signed as https://www.standardwebhooks.com says. The bodies of the answers
 * are only compared with `expect`, so none of their text reaches a card or a log.
 */
export function createEndpoint(
  { url, signingSecret, timeoutMs = 10_000, headers: ownHeaders, follow, expect }: EndpointOptions, http: HttpClient,
): Endpoint {
  let signer: Promise<Signer> | undefined
  const { host } = new URL(url)
  const limits = { timeoutMs, ignoreBody: expect === undefined }
  return {
    host, url,
    async post(body, idempotencyKey) {
      try {
        const headers = {
          ...ownHeaders, 'content-type': 'application/json', 'idempotency-key': idempotencyKey, ...webhookHeaders(
            body, idempotencyKey, signingSecret && await (signer ??= createSigner(signingSecret)),
          ),
        }
        const firstAnswer = await http({ method: 'POST', url, headers, body, ...limits })
        const answerUrl = follow === undefined ? undefined : redirectOf(firstAnswer, follow)
        // The receiver has done its work before it redirects. Send it no header of ours, and no data again.
        const answer = answerUrl ? await http({ method: 'GET', url: answerUrl, headers: {}, ...limits }) : firstAnswer
        const isUnexpected = expect !== undefined && isSuccess(answer) && !contains(answer.json, expect)
        return isUnexpected
          ? retry(`${host} answered ${answer.status}, but without what "expect" of its destination asks for.`)
          : toOutcome(answer, host)
      }
      catch (error) {
        if (error instanceof UnusableSecret) return { ok: false, reason: error.message, permanent: true }
        // For example ECONNREFUSED. The code tells a wrong host from a closed port or a bad certificate.
        const { code } = error as { code?: string }
        return retry(code === 'NO_ANSWER'
          ? `${host} did not answer within ${timeoutMs / 1000} s.`
          : `${host} cannot be reached${code ? ` (${code})` : ''}.`)
      }
    },
  }
}

class UnusableSecret extends Error {}

type Signer = (id: string, at: Date, body: string) => string

/** @throws UnusableSecret */
async function createSigner(secret: string): Promise<Signer> {
  const { Webhook } = await import('standardwebhooks')
  try {
    const webhook = new Webhook(secret)
    return (id, at, body) => webhook.sign(id, at, body)
  }
  catch {
    throw new UnusableSecret('FORWARD_SIGNING_SECRET is not a Standard Webhooks secret (whsec_ and base64), so nothing can be signed.')
  }
}

function webhookHeaders(body: string, id: string, sign: Signer | '' | undefined): Record<string, string> {
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

/** Reads seconds or an HTTP date: https://www.rfc-editor.org/rfc/rfc9110#field.retry-after */
function readRetryAfter(value: HttpAnswer['headers'][string]): { retryAfterMs?: number } {
  if (typeof value !== 'string') return {}
  const pauseMs = /^\d+(?:\.\d+)?$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now()
  return Number.isNaN(pauseMs) ? {} : { retryAfterMs: Math.min(Math.max(pauseMs, 0), MAX_PAUSE_MS) }
}

function retry(reason: string) {
  return { ok: false as const, reason, permanent: false }
}

import {
  getRequestHeader, getRouterParam, setResponseHeader, setResponseHeaders, setResponseStatus, type H3Event,
} from 'h3'
import { sameSecret } from '../../shared/same-secret'
import type { FormPages } from '../ports/form'
import type { Sender } from '../ports/sender'
import { mediaType } from './body/body'
import { addressGroup, clientAddress, wantsPage } from './request'
import { answer, HttpError } from './errors'

/** Time for which a browser may cache a preflight, s; browsers have their own limit */
const PREFLIGHT_MAX_AGE_S = 86_400

/** Origin header from pages without referrers: https://fetch.spec.whatwg.org/#append-a-request-origin-header */
const HIDDEN_ORIGIN = 'null'

/** Settings that list the websites that may send a form */
const ORIGINS = 'FORM_ALLOWED_ORIGINS, or allowedOrigins of a form that has its own'

/**
 * Runs a POST route for browsers. Allowed origins can read the preflight, the answer and every error. A request without
 * an origin comes from no page, and passes. A form sent without a script gets errors as a page.
 */
export async function publicPost<T>(
  event: H3Event, pages: FormPages, route: () => Promise<T>,
): Promise<unknown> {
  const { allowedOrigins: origins } = pages
  const origin = getRequestHeader(event, 'origin')
  const isForeign = origins !== undefined && origin !== undefined && !origins.includes(origin)
  setResponseHeaders(event, {
    ...getCorsHeaders(origins, isForeign ? undefined : origin),
    'Access-Control-Expose-Headers': 'Retry-After, X-Request-Id',
    // With a list, the answer depends on the origin: no cache may give one origin's answer to another.
    'Vary': origins ? 'Origin, Access-Control-Request-Headers' : 'Access-Control-Request-Headers',
  })
  if (event.method === 'OPTIONS' && !isForeign) {
    setResponseHeaders(event, {
      'Access-Control-Allow-Methods': 'POST, OPTIONS',
      // The wildcard does not cover Authorization, so the requested headers are allowed by name.
      'Access-Control-Allow-Headers': getRequestHeader(event, 'access-control-request-headers') ?? '*',
      'Access-Control-Max-Age': String(PREFLIGHT_MAX_AGE_S),
    })
    setResponseStatus(event, 204)
    return null
  }
  return answer(event, async () => {
    if (isForeign) throw new HttpError(403, 'ORIGIN_NOT_ALLOWED', origin === HIDDEN_ORIGIN
      ? 'The page hides its origin, so neither FORM_ALLOWED_ORIGINS nor allowedOrigins of a form can match it. Send the page with Referrer-Policy: strict-origin-when-cross-origin.'
      : `Forms from the origin ${origin} are not accepted. Add it to ${ORIGINS}.`)
    if (event.method === 'POST') return route()
    setResponseHeaders(event, { Allow: 'POST, OPTIONS' })
    throw new HttpError(405, 'METHOD_NOT_ALLOWED', 'Send forms with POST.')
  }, async (refusal) => {
    if (wantsPage(event)) return (await import('./pages/form-pages')).problemPage(event, refusal, pages)
    if (!refusal.problems) return refusal
    const { requestedLanguages, withFields } = await import('./pages/page-texts')
    return withFields(refusal, requestedLanguages(event), pages.texts)
  })
}

function getCorsHeaders(origins: readonly string[] | undefined, origin: string | undefined): Record<string, string> {
  if (!origins) return { 'Access-Control-Allow-Origin': '*' }
  // Pages may send with credentials: without this header browsers hide the answer. This route ignores cookies.
  return origin ? { 'Access-Control-Allow-Origin': origin, 'Access-Control-Allow-Credentials': 'true' } : {}
}

interface AdmissionRules {
  allowedOrigins?: readonly string[]
  apiKey?: string
  trustedProxies: number
}

const MAX_IDEMPOTENCY_KEY = 255

/**
 * Admits a sender by the headers of the request; foreign origins were refused before.
 *
 * @throws HttpError 400, 401
 */
export function admitSender(event: H3Event, rules: AdmissionRules): Sender {
  const isTrusted = requireKey(event, rules)
  const address = clientAddress(event.node.req, rules.trustedProxies)
  const group = addressGroup(address)
  return {
    address, group, trusted: isTrusted, client: isTrusted ? 'api-key' : group,
    hasFiles: mediaType(event) === 'multipart/form-data', idempotencyKey: readIdempotencyKey(event),
  }
}

/** True if the request has the key. If a key is set, requests without it must come from a listed origin. */
function requireKey(event: H3Event, { apiKey, allowedOrigins = [] }: AdmissionRules): boolean {
  if (!apiKey) return false
  const bearer = /^Bearer +(\S.*)$/i.exec(getRequestHeader(event, 'authorization') ?? '')?.[1]
  const sentKeys = [bearer, getRequestHeader(event, 'x-api-key')]
  const hasKey = sentKeys.some(key => key !== undefined && sameSecret(key, apiKey))
  if (hasKey || allowedOrigins.includes(getRequestHeader(event, 'origin') ?? '')) return hasKey
  setResponseHeader(event, 'WWW-Authenticate', 'Bearer')
  throw new HttpError(
    401, 'API_KEY_REQUIRED',
    `Send Authorization: Bearer <FORM_API_KEY>, or X-Api-Key, from a server; a website needs its origin in ${ORIGINS}.`,
  )
}

/** Headers with an id of the form, by priority; webhooks send the last two (https://www.standardwebhooks.com) */
const KEY_HEADERS = ['idempotency-key', 'webhook-id', 'svix-id']

/** Returns undefined if none was sent. All characters of the key are taken literally, quotes included. */
function readIdempotencyKey(event: H3Event): string | undefined {
  const header = KEY_HEADERS.find(name => getRequestHeader(event, name))
  const key = header && getRequestHeader(event, header)
  if (key && key.length > MAX_IDEMPOTENCY_KEY) throw new HttpError(
    400, 'IDEMPOTENCY_KEY_TOO_LONG',
    `The ${header === KEY_HEADERS[0] ? 'Idempotency-Key' : header} header has more than ${MAX_IDEMPOTENCY_KEY} characters. Send something short and random, such as a UUID.`,
  )
  return key
}

/** Returns the key of the form in the path; undefined for the default form. */
export function formKey(event: H3Event): string | undefined {
  return getRouterParam(event, 'form', { decode: true }) || undefined
}

/** @throws HttpError 404 if the path names no form */
export function requireForm<F>(event: H3Event, form: F | null): F {
  if (form) return form
  throw new HttpError(
    404, 'UNKNOWN_FORM',
    `There is no form ${JSON.stringify(formKey(event))} here. Add it to forms.config.ts, or send to /api/form.`,
  )
}

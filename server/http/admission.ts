import { getRequestHeader, setResponseHeader, type H3Event } from 'h3'
import { addressGroup, clientAddress } from './client-address'
import { HttpError } from './errors'
import { sameSecret } from './guards'

/** Who may send forms. */
interface AdmissionRules {
  allowedOrigins?: readonly string[]
  apiKey?: string
  trustedProxies: number
}

/** What is known of a sender from the request's head. */
interface Admitted {
  address?: string
  group: string
  client: string
  trusted: boolean
  idempotencyKey?: string
}

const MAX_IDEMPOTENCY_KEY = 255

/**
 * Lets a sender in by the head of the request; foreign origins are refused by then.
 *
 * @throws HttpError 400, 401
 */
export function admit(event: H3Event, rules: AdmissionRules): Admitted {
  const trusted = requireKey(event, rules)
  const address = clientAddress(event.node.req, rules.trustedProxies)
  const group = addressGroup(address)
  return { address, group, trusted, client: trusted ? 'api-key' : group, idempotencyKey: idempotencyKey(event) }
}

/** Whether the request shows the key. Without it only pages on a listed origin get in, once a key is set. */
function requireKey(event: H3Event, { apiKey, allowedOrigins = [] }: AdmissionRules): boolean {
  if (!apiKey) return false
  const bearer = /^Bearer +(.+)$/i.exec(getRequestHeader(event, 'authorization') ?? '')?.[1]
  const shown = [bearer, getRequestHeader(event, 'x-api-key')].some(key => key !== undefined && sameSecret(key, apiKey))
  if (shown || allowedOrigins.includes(getRequestHeader(event, 'origin') ?? '')) return shown
  setResponseHeader(event, 'WWW-Authenticate', 'Bearer')
  throw new HttpError(401, 'API_KEY_REQUIRED', 'Send Authorization: Bearer <FORM_API_KEY>, or X-Api-Key, from a server; a website needs its origin in FORM_ALLOWED_ORIGINS instead.')
}

/** Undefined when none was sent; its characters mean nothing here, quotes included. */
function idempotencyKey(event: H3Event): string | undefined {
  const key = getRequestHeader(event, 'idempotency-key') || undefined
  if (key && key.length > MAX_IDEMPOTENCY_KEY) throw new HttpError(400, 'IDEMPOTENCY_KEY_TOO_LONG', `The Idempotency-Key header has more than ${MAX_IDEMPOTENCY_KEY} characters. Send something short and random, such as a UUID.`)
  return key
}

import { getRequestHeader, setResponseHeader, type H3Event } from 'h3'
import { StoreUnavailable } from '../domain/errors'
import { addressGroup, clientAddress } from './client-address'
import { HttpError } from './errors'
import { sameSecret } from './guards'

/** Who may send forms, and how many. */
interface AdmissionRules {
  allowedOrigins?: readonly string[]
  apiKey?: string
  /** Forms a minute from one client; for people. */
  rateLimit: number
  trustedProxies: number
}

/** Counts a client's form; resolves with 0, or with the ms to wait. */
interface Counter { take(client: string): Promise<number> }

/** What is known of a sender from the request's head. */
interface Admitted {
  address?: string
  client: string
  trusted: boolean
  idempotencyKey?: string
}

const MAX_IDEMPOTENCY_KEY = 255

/**
 * Lets a sender in by the head of the request, before any of the body is read; foreign origins are refused by then.
 *
 * @param counter null when there is no limit
 * @throws HttpError 400, 401, 429
 * @throws StoreUnavailable when the counts cannot be reached
 */
export async function admit(event: H3Event, rules: AdmissionRules, counter: Counter | null): Promise<Admitted> {
  const trusted = requireKey(event, rules)
  const address = clientAddress(event.node.req, rules.trustedProxies)
  const group = addressGroup(address)
  if (counter) await requireTurn(event, rules.rateLimit, () => counter.take(group))
  return { address, trusted, client: trusted ? 'api-key' : group, idempotencyKey: idempotencyKey(event) }
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

async function requireTurn(event: H3Event, limit: number, take: () => Promise<number>): Promise<void> {
  const waitMs = await take().catch((error) => {
    throw new StoreUnavailable(error)
  })
  if (waitMs === 0) return
  const seconds = Math.ceil(waitMs / 1000)
  setResponseHeader(event, 'Retry-After', seconds)
  throw new HttpError(429, 'TOO_MANY_FORMS', `More than ${limit} forms a minute came from your address. Nothing was saved; send the form again in ${seconds} s. The service sets this by FORM_RATE_LIMIT and, behind a proxy, TRUST_PROXY.`)
}

/** Undefined when none was sent; its characters mean nothing here, quotes included. */
function idempotencyKey(event: H3Event): string | undefined {
  const key = getRequestHeader(event, 'idempotency-key') || undefined
  if (key && key.length > MAX_IDEMPOTENCY_KEY) throw new HttpError(400, 'IDEMPOTENCY_KEY_TOO_LONG', `The Idempotency-Key header has more than ${MAX_IDEMPOTENCY_KEY} characters. Send something short and random, such as a UUID.`)
  return key
}

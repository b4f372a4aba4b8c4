import { createHash, timingSafeEqual } from 'node:crypto'
import { getRequestHeader, type H3Event } from 'h3'
import { HttpError } from './errors'

const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/

/**
 * Cron calls carry `Authorization: Bearer <CRON_SECRET>`; without a secret nobody may call, unless that is optional
 * here. @throws HttpError 401, 403
 */
export function requireCron(event: H3Event, secret: string | undefined, { optional = false } = {}): void {
  if (!secret && optional) return
  if (!secret) throw new HttpError(403, 'CRON_SECRET_MISSING', 'Set CRON_SECRET to let a scheduler call this route.')
  requireBearer(event, secret, 'CRON_SECRET')
}

/** @param name the variable that holds the token @throws HttpError 401 */
export function requireBearer(event: H3Event, token: string, name: string): void {
  const given = getRequestHeader(event, 'authorization') ?? ''
  if (!sameSecret(given, `Bearer ${token}`)) throw new HttpError(401, 'UNAUTHORIZED', `Send Authorization: Bearer <${name}>.`)
}

/**
 * Whether a request comes from a page of this very machine (or from no page at all), so that no other website can
 * read or click here through somebody's browser: the name of the host must be a loopback name too (DNS rebinding).
 */
export function isOwnPage(headers: Headers): boolean {
  const host = headers.get('host') ?? ''
  const origin = headers.get('origin')
  return LOOPBACK.test(host) && (origin === null || (URL.canParse(origin) && new URL(origin).host === host))
}

/** Equal in constant time, whatever the lengths. */
export function sameSecret(a: string, b: string): boolean {
  const digest = (value: string) => createHash('sha256').update(value).digest()
  return timingSafeEqual(digest(a), digest(b))
}

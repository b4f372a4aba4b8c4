import { getRequestHeader, type H3Event } from 'h3'
import { sameSecret } from '../../../shared/same-secret'
import { HttpError } from '../errors'

const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/

/** Requires CRON_SECRET as bearer token. If none is set, it refuses, unless `optional`. @throws HttpError 401, 403 */
export function requireCron(event: H3Event, secret: string | undefined, { optional = false } = {}): void {
  if (!secret && optional) return
  if (!secret) throw new HttpError(403, 'CRON_SECRET_MISSING', 'Set CRON_SECRET to let a scheduler call this route.')
  requireBearer(event, secret, 'CRON_SECRET')
}

/** @param name the variable that holds the token @throws HttpError 401 */
export function requireBearer(event: H3Event, token: string, name: string): void {
  const authorization = getRequestHeader(event, 'authorization') ?? ''
  if (!sameSecret(authorization, `Bearer ${token}`)) throw new HttpError(
    401, 'UNAUTHORIZED', `Send Authorization: Bearer <${name}>.`,
  )
}

/**
 * True if a request comes from a page of this machine or from no page, so that no other website can read or click here
 * through a user's browser. The host must be a loopback name too, because of DNS rebinding.
 */
export function isOwnPage(headers: Headers): boolean {
  const host = headers.get('host') ?? ''
  const origin = headers.get('origin')
  return LOOPBACK.test(host) && (origin === null || (URL.canParse(origin) && new URL(origin).host === host))
}

/**
 * Lets only this site's own pages change something: browsers send the session cookie with requests from any page.
 *
 * Three checks complement the cookie's SameSite. JSON: no HTML form can send it, and other origins need a preflight for
 * it and for DELETE, which needs no body. Sec-Fetch-Site: tells the page's site. Origin: for browsers without
 * Sec-Fetch-Site. A program sends neither header and passes, because it has no user's cookies.
 *
 * @throws HttpError 403, 415
 */
export function requireOwnPage(event: H3Event, { siteUrl }: { siteUrl: string | null }): void {
  const site = getRequestHeader(event, 'sec-fetch-site')
  const origin = getRequestHeader(event, 'origin')
  const isForeign = origin !== undefined && !isOwn(origin, getRequestHeader(event, 'host'), siteUrl)
  if ((site !== undefined && site !== 'same-origin') || isForeign) {
    throw new HttpError(
      403, 'FOREIGN_PAGE',
      'Only pages of this site may do that. Behind a proxy that changes the Host header, set NUXT_PUBLIC_SITE_URL to the address that people open.',
    )
  }
  const contentType = getRequestHeader(event, 'content-type')
  if (event.method === 'DELETE' && contentType === undefined) return
  const [type = ''] = (contentType ?? '').toLowerCase().split(';')
  if (type.trim() !== 'application/json') throw new HttpError(
    415, 'JSON_ONLY', 'Send JSON, with Content-Type: application/json.',
  )
}

function isOwn(origin: string, host: string | undefined, siteUrl: string | null): boolean {
  const isSite = siteUrl !== null && origin === new URL(siteUrl).origin
  return URL.canParse(origin) && (new URL(origin).host === host || isSite)
}

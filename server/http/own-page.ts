import { getRequestHeader, type H3Event } from 'h3'
import { HttpError } from './errors'

/**
 * Lets only this site's own pages change something, with the cookie that any page makes a browser send along.
 *
 * Three checks stand beside the cookie's SameSite: JSON, which no HTML form can send and no other origin may without
 * asking, as it may not send DELETE, which needs no body; Sec-Fetch-Site, which says where the page is from; Origin, for browsers without it. A program has no cookies
 * of anybody, sends none of these headers, and passes.
 *
 * @throws HttpError 403, 415
 */
export function requireOwnPage(event: H3Event, { siteUrl }: { siteUrl: string | null }): void {
  const site = getRequestHeader(event, 'sec-fetch-site')
  const origin = getRequestHeader(event, 'origin')
  if ((site !== undefined && site !== 'same-origin') || (origin !== undefined && !isOwn(origin, getRequestHeader(event, 'host'), siteUrl))) {
    throw new HttpError(403, 'FOREIGN_PAGE', 'Only pages of this site may do that. Behind a proxy that changes the Host header, set NUXT_PUBLIC_SITE_URL to the address that people open.')
  }
  const sent = getRequestHeader(event, 'content-type')
  if (event.method === 'DELETE' && sent === undefined) return
  const [type = ''] = (sent ?? '').toLowerCase().split(';')
  if (type.trim() !== 'application/json') throw new HttpError(415, 'JSON_ONLY', 'Send JSON, with Content-Type: application/json.')
}

function isOwn(origin: string, host: string | undefined, siteUrl: string | null): boolean {
  return URL.canParse(origin) && (new URL(origin).host === host || (siteUrl !== null && origin === new URL(siteUrl).origin))
}

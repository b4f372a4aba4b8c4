import { getRequestHeader, setResponseHeaders, setResponseStatus, type H3Event } from 'h3'
import { answer, HttpError } from './errors'

/** How long a browser may remember a preflight, in seconds; browsers cap it themselves. */
const PREFLIGHT_MAX_AGE_S = 86_400

/**
 * A POST route for browsers: preflight, the answer and every error are readable on the origins that may send.
 *
 * @param origins the only ones that may; any when undefined. A request that names no origin comes from no page, and passes
 */
export async function publicPost<T>(event: H3Event, origins: readonly string[] | undefined, route: () => Promise<T>): Promise<unknown> {
  const origin = getRequestHeader(event, 'origin')
  const foreign = origins !== undefined && origin !== undefined && !origins.includes(origin)
  setResponseHeaders(event, {
    ...readableBy(origins, foreign ? undefined : origin),
    'Access-Control-Expose-Headers': 'Retry-After, X-Request-Id',
    // The list is the same for everybody, the answer is not: no cache may hand one origin's to another.
    'Vary': origins ? 'Origin, Access-Control-Request-Headers' : 'Access-Control-Request-Headers',
  })
  if (event.method === 'OPTIONS' && !foreign) {
    setResponseHeaders(event, {
      'Access-Control-Allow-Methods': 'POST, OPTIONS',
      // The wildcard does not cover Authorization: what is asked for is allowed by name.
      'Access-Control-Allow-Headers': getRequestHeader(event, 'access-control-request-headers') ?? '*',
      'Access-Control-Max-Age': String(PREFLIGHT_MAX_AGE_S),
    })
    setResponseStatus(event, 204)
    return null
  }
  return answer(event, async () => {
    if (foreign) throw new HttpError(403, 'ORIGIN_NOT_ALLOWED', `Forms from the origin ${origin} are not accepted. Add it to FORM_ALLOWED_ORIGINS.`)
    if (event.method === 'POST') return route()
    setResponseHeaders(event, { Allow: 'POST, OPTIONS' })
    throw new HttpError(405, 'METHOD_NOT_ALLOWED', 'Send forms with POST.')
  })
}

function readableBy(origins: readonly string[] | undefined, origin: string | undefined): Record<string, string> {
  if (!origins) return { 'Access-Control-Allow-Origin': '*' }
  return origin ? { 'Access-Control-Allow-Origin': origin } : {}
}

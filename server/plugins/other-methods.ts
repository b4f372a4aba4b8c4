import { handlers } from '#nitro-internal-virtual/server-handlers'
import { setResponseHeader, type H3Event } from 'h3'
import { defineNitroPlugin } from 'nitropack/runtime'
import { HttpError, noSuchRoute, route } from '../http/errors'

/**
 * Everything under `/api/` that no route takes is answered here. Left to itself, the router looks for another path that
 * takes the method, such as `/api/submissions/:id` for `GET /api/submissions/search`, and ends at the shell of the
 * pages.
 */
export default defineNitroPlugin(({ router }) => {
  const paths = handlers.flatMap(({ route, method }) => route?.startsWith('/api/') && method ? [route] : [])
  for (const path of new Set(['/api', '/api/**', ...paths])) router.add(path, route(takeOther))
})

/**
 * What no route takes, under `/api/`: `HEAD` as its GET; `405` with `Allow` for a path that takes another method;
 * `404`, each as `{ error, message, code }`.
 */
async function takeOther(event: H3Event): Promise<unknown> {
  // The router names what it found under the path. `all` is this very handler.
  const { all: _, ...handlers } = event.context.matchedRoute?.handlers ?? {}
  // Node sends no body in answer to HEAD.
  if (event.method === 'HEAD' && handlers.get) return handlers.get(event)
  const methods = Object.keys(handlers).map(method => method.toUpperCase())
  if (methods.length === 0) {
    throw noSuchRoute()
  }
  if (methods.includes('GET')) methods.push('HEAD')
  setResponseHeader(event, 'Allow', methods.sort().join(', '))
  throw new HttpError(405, 'METHOD_NOT_ALLOWED', `This address takes ${methods.join(' or ')}.`)
}

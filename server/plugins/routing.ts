import { handlers } from '#nitro-internal-virtual/server-handlers'
import { setResponseHeader, type H3Event } from 'h3'
import { defineNitroPlugin } from 'nitropack/runtime'
import { HttpError, noSuchRoute, route } from '../http/errors'
import { targetPath } from '../http/request'

/**
 * Routes `GET http://host/path` by its path, and answers everything under `/api/` that no route takes. The router alone
 * takes the whole target for a path. If a path has no route for a method, the router takes another path that has one,
 * such as `/api/submissions/:id` for `GET /api/submissions/search`. Both requests would get the shell of the pages.
 */
export default defineNitroPlugin(({ h3App, router }) => {
  const { handler } = h3App
  h3App.handler = Object.assign((event: Parameters<typeof handler>[0]) => {
    const { req } = event.node
    req.url = targetPath(req.url ?? '/')
    return handler(event)
  }, handler)
  const paths = handlers.flatMap(({ route, method }) => route?.startsWith('/api/') && method ? [route] : [])
  for (const path of new Set(['/api', '/api/**', ...paths])) router.add(path, route(takeOther))
})

/**
 * Answers requests under `/api/` that no route takes: `HEAD` like the GET of its path; otherwise `405` with `Allow` if
 * the path takes another method, or `404`, each as `{ error, message, code }`.
 */
async function takeOther(event: H3Event): Promise<unknown> {
  // The router lists the handlers of the path. `all` is this very handler.
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

import { handlers } from '#nitro-internal-virtual/server-handlers'
import { defineNitroPlugin } from 'nitropack/runtime'
import { otherMethod } from '../http/no-route'

/**
 * Everything under `/api/` that no route takes is answered here. Left to itself, the router looks for another path that
 * takes the method, such as `/api/submissions/:id` for `GET /api/submissions/search`, and ends at the shell of the pages.
 */
export default defineNitroPlugin(({ router }) => {
  const paths = handlers.flatMap(({ route, method }) => route?.startsWith('/api/') && method ? [route] : [])
  for (const path of new Set(['/api', '/api/**', ...paths])) router.add(path, otherMethod)
})

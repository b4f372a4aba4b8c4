import { defineEventHandler, getQuery } from 'h3'
import { useServices } from '../../app'
import { opsRoute } from '../../http/ops-route'

/**
 * `GET /api/submissions?limit&before&state&q`: a page of what is pending, newest first.
 *
 * 200 `{ rows, total, cursor, scanned }`; hand `cursor` back as `before`. 400, 401, 403, 503.
 */
export default defineEventHandler((event) => {
  const services = useServices()
  return opsRoute(event, services, () => services.opsSubmissions.list(getQuery(event)))
})

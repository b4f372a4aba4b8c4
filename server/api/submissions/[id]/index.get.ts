import { defineEventHandler, getRouterParam } from 'h3'
import { useServices } from '../../../app'
import { opsRoute } from '../../../http/ops-route'

/** `GET /api/submissions/<id>`: everything about a pending submission. 401, 403, 404, 410 with how it ended, 503. */
export default defineEventHandler((event) => {
  const services = useServices()
  return opsRoute(event, services, () => services.opsSubmissions.show(getRouterParam(event, 'id') ?? ''))
})

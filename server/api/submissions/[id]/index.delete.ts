import { defineEventHandler, getRouterParam } from 'h3'
import { useServices } from '../../../app'
import { opsAction } from '../../../http/ops-route'

/** `DELETE /api/submissions/<id>`: erases one that is held. 200; 401, 403, 404; 409 for any other, 410, 503. */
export default defineEventHandler((event) => {
  const services = useServices()
  return opsAction(event, services, async (viewer) => {
    await services.opsSubmissions.delete(getRouterParam(event, 'id') ?? '', viewer)
    return { status: 'deleted' }
  })
})

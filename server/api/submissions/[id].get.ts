import { defineEventHandler, getRouterParam } from 'h3'
import { useServices } from '../../app'
import { answer } from '../../http/errors'
import { requireViewer } from '../../http/viewer'

/** `GET /api/submissions/<id>`: everything about an undecided submission. 403 in production, 404 when it is gone. */
export default defineEventHandler(event => answer(event, async () => {
  const services = useServices()
  requireViewer(event, services)
  return services.show(getRouterParam(event, 'id') ?? '')
}))

import { defineEventHandler, getRouterParam } from 'h3'
import { useServices } from '../../app'
import { answer } from '../../http/errors'
import { requireViewer } from '../../http/viewer'

/** `GET /api/submissions/<id>`: everything about an undecided submission. 401, 403, 404 when it is gone. */
export default defineEventHandler(event => answer(event, async () => {
  const services = useServices()
  await requireViewer(event, services)
  return services.show(getRouterParam(event, 'id') ?? '')
}))

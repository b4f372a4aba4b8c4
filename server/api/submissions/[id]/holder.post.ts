import { getRouterParam } from 'h3'
import { useServices } from '../../../app'
import { deciderRoute } from '../../../http/auth/viewer'

/** `POST /api/submissions/<id>/holder`: assigns it to the caller. 200; 401, 403, 404, 409, 423 with assignee, 503. */
export default deciderRoute(useServices, async ({ opsSubmissions }, event, viewer) => {
  await opsSubmissions.decide(getRouterParam(event, 'id') ?? '', { action: 'take' }, viewer)
  return { status: 'taken' }
})

import { getRouterParam } from 'h3'
import { useServices } from '../../../app'
import { deciderRoute } from '../../../http/auth/viewer'

/** `DELETE /api/submissions/<id>`: erases its form data, in any state. 200; 401, 403, 404, 410, 503. */
export default deciderRoute(useServices, async ({ opsSubmissions }, event, viewer) => {
  await opsSubmissions.decide(getRouterParam(event, 'id') ?? '', { action: 'erase' }, viewer)
  return { status: 'erased' }
})

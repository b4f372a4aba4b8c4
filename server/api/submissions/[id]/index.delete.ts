import { getRouterParam } from 'h3'
import { useServices } from '../../../app'
import { deciderRoute } from '../../../http/viewer'

/** `DELETE /api/submissions/<id>`: erases one that is held. 200; 401, 403, 404; 409 for any other, 410, 503. */
export default deciderRoute(useServices, async ({ opsSubmissions }, event, viewer) => {
  await opsSubmissions.delete(getRouterParam(event, 'id') ?? '', viewer)
  return { status: 'deleted' }
})

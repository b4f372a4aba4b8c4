import { getRouterParam } from 'h3'
import { useServices } from '../../../app'
import { viewerRoute } from '../../../http/auth/viewer'

/** `GET /api/submissions/<id>`: everything about a pending submission. 401, 403, 404, 410 with how it ended, 503. */
export default viewerRoute(
  useServices, ({ opsSubmissions }, event, viewer) => opsSubmissions.show(getRouterParam(event, 'id') ?? '', viewer),
)

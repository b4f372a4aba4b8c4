import { getRouterParam } from 'h3'
import { useServices } from '../../../app'
import { deciderRoute } from '../../../http/auth/viewer'

/**
 * `POST /api/submissions/<id>/cards`: posts cards again that their platforms refused. 200 `{ cards }`, the number of
 * cards; 401, 403, 404, 410 with how the submission ended, 503.
 */
export default deciderRoute(useServices, async ({ opsSubmissions }, event, reviewer) =>
  ({ cards: await opsSubmissions.postAgain(getRouterParam(event, 'id') ?? '', reviewer) }))

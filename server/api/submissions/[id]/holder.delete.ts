import { getRouterParam } from 'h3'
import { useServices } from '../../../app'
import { deciderRoute } from '../../../http/auth/viewer'

/**
 * `DELETE /api/submissions/<id>/holder`: ends the caller's assignment. 200, even if nobody was assigned; 401, 403, 404,
 * 409, 423 with the assignee, 503.
 */
export default deciderRoute(useServices, async ({ opsSubmissions }, event, viewer) => {
  await opsSubmissions.decide(getRouterParam(event, 'id') ?? '', { action: 'hand-back' }, viewer)
  return { status: 'returned' }
})

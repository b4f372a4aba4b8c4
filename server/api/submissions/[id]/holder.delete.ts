import { getRouterParam } from 'h3'
import { useServices } from '../../../app'
import { deciderRoute } from '../../../http/auth/viewer'

/**
 * `DELETE /api/submissions/<id>/holder`: whoever asks has it no more. 200, also when nobody had it; 401, 403, 404, 409,
 * 423 with who has it, 503.
 */
export default deciderRoute(useServices, async ({ opsSubmissions }, event, viewer) => {
  await opsSubmissions.decide(getRouterParam(event, 'id') ?? '', { action: 'hand-back' }, viewer)
  return { status: 'returned' }
})

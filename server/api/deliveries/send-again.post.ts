import { useServices } from '../../app'
import { readJson } from '../../http/body/body'
import { deciderRoute } from '../../http/auth/viewer'

const MAX_BYTES = 128 * 1024

/**
 * `POST /api/deliveries/send-again`: `{ ids }`, or `{ destination, state?, from?, to? }`; sends up to 1,000 submissions
 * again. 200 `{ sent, refused: [{ id, reason }], left }`; 400, 401, 403, 415, 503.
 */
export default deciderRoute(useServices, async ({ deliveries, readBody }, event, reviewer) => (
  deliveries.sendAgain(await readJson(event, readBody, MAX_BYTES), reviewer)
))

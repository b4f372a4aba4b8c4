import { useServices } from '../../app'
import { readJson } from '../../http/body/body'
import { deciderRoute } from '../../http/auth/viewer'

const MAX_BYTES = 1024

/**
 * `POST /api/status/retry`: `{ part }`, the key of a platform, `email` or `endpoint`; retries all work that waits for
 * this part, or that was given up there. 200 `{ tried, left, reason }`; 400, 401, 403, 415, 503.
 */
export default deciderRoute(useServices, async ({ retries, readBody }, event, reviewer) => (
  retries.tryAll(await readJson(event, readBody, MAX_BYTES), reviewer)
))

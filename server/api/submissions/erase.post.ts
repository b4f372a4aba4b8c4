import { useServices } from '../../app'
import { readJson } from '../../http/body/body'
import { deciderRoute } from '../../http/auth/viewer'

const MAX_BYTES = 64 * 1024

/**
 * `POST /api/submissions/erase`: `{ email }` or `{ text }`; erases all stored submissions that contain it. 200 with the
 * number erased; also with `before`, to continue, if there are too many to search at once; 400, 401, 403, 415, 503.
 */
export default deciderRoute(useServices, async ({ opsSubmissions, readBody }, event, viewer) => (
  opsSubmissions.eraseAll(await readJson(event, readBody, MAX_BYTES), viewer)
))

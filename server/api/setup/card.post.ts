import { useServices } from '../../app'
import { readJson } from '../../http/body/body'
import { deciderRoute } from '../../http/auth/viewer'

const MAX_BYTES = 1024

/**
 * `POST /api/setup/card`: `{ platform }`; posts a test card in each of its rooms. 200 with the result of each; 400,
 * 401, 403, 429, 503.
 */
export default deciderRoute(
  useServices, async ({ testCards, readBody }, event) => testCards.send(await readJson(event, readBody, MAX_BYTES)),
)

import { useServices } from '../../app'
import { readJson } from '../../http/body/body'
import { askingRoute } from '../../http/auth/viewer'

const MAX_BYTES = 64 * 1024

/**
 * `POST /api/submissions/search`: like `GET /api/submissions`, with the query as JSON, because people search for form
 * data, which must not be in URLs. With `ids`, returns only those that are still pending. 200, 400, 401, 403, 415, 503.
 */
export default askingRoute(
  useServices,
  async ({ opsSubmissions, readBody }, event, viewer) => (
    opsSubmissions.list(await readJson(event, readBody, MAX_BYTES), viewer)
  ),
)

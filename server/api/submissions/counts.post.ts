import { useServices } from '../../app'
import { readJson } from '../../http/body/body'
import { askingRoute } from '../../http/auth/viewer'

const MAX_BYTES = 64 * 1024

/**
 * `POST /api/submissions/counts`: takes the same filters as `search`. Returns the number of submissions for each choice
 * of each filter, with the other filters unchanged; null if unknown. 200 `{ states, holders, forms, platforms }`; 400,
 * 401, 403, 415, 503.
 */
export default askingRoute(
  useServices,
  async ({ opsSubmissions, readBody }, event, viewer) => (
    opsSubmissions.counts(await readJson(event, readBody, MAX_BYTES), viewer)
  ),
)

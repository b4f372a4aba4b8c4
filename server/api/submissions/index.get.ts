import { getQuery } from 'h3'
import { useServices } from '../../app'
import { viewerRoute } from '../../http/auth/viewer'

/**
 * `GET /api/submissions?limit&before&sort&only&state&q&holder&form&platform`: a page of what is pending, newest first;
 * `holder` is `mine`, `free` or `taken`, `sort` `oldest`, and `only` `ids`, of all that the filter finds.
 *
 * 200 `{ rows, found, total, cursor, scanned }`; hand `cursor` back as `before`. 400, 401, 403, 503.
 */
export default viewerRoute(
  useServices, ({ opsSubmissions }, event, viewer) => opsSubmissions.list(getQuery(event), viewer),
)

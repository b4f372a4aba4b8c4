import { getQuery } from 'h3'
import { useServices } from '../../app'
import { viewerRoute } from '../../http/auth/viewer'

/**
 * `GET /api/submissions?limit&before&sort&only&state&q&holder&form&platform`: a page of pending submissions, newest
 * first. `holder` is `mine`, `free` or `taken`; `sort` is `oldest`; `only` is `ids`, to get the ids of all matches.
 *
 * 200 `{ rows, found, total, cursor, scanned }`; send `cursor` as `before` to get the next page. 400, 401, 403, 503.
 */
export default viewerRoute(
  useServices, ({ opsSubmissions }, event, viewer) => opsSubmissions.list(getQuery(event), viewer),
)

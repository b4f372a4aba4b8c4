import { getQuery } from 'h3'
import { useServices } from '../../app'
import { viewerRoute } from '../../http/viewer'

/**
 * `GET /api/submissions?limit&before&state&q`: a page of what is pending, newest first.
 *
 * 200 `{ rows, total, cursor, scanned }`; hand `cursor` back as `before`. 400, 401, 403, 503.
 */
export default viewerRoute(useServices, ({ opsSubmissions }, event) => opsSubmissions.list(getQuery(event)))

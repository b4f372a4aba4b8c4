import { getQuery } from 'h3'
import { useServices } from '../../app'
import { viewerRoute } from '../../http/auth/viewer'

/**
 * `GET /api/deliveries?destination&state&from&to&limit&before`: deliveries that failed or wait, latest attempt first.
 * `destination` is an id, an address or a host; `state` is `failed` or `waiting`; times are of the last attempt, as
 * ISO 8601 or epoch ms. 200 `{ lines, total, cursor, complete, destinations }`; 400, 401, 403, 503.
 */
export default viewerRoute(useServices, ({ deliveries }, event) => deliveries.list(getQuery(event)))

import { useServices } from '../../app'
import { deciderRoute } from '../../http/auth/viewer'

/** `POST /api/setup/alert`: sends a test alert on each way. 200 with the result of each; 400, 401, 403, 429, 503. */
export default deciderRoute(useServices, ({ alerts }) => alerts.test())

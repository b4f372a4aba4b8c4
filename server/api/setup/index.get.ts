import { useServices } from '../../app'
import { viewerRoute } from '../../http/auth/viewer'

/** `GET /api/setup`: the configuration, and the values to copy from the set-up page. 200, 401, 403. */
export default viewerRoute(useServices, async ({ setup }) => setup())

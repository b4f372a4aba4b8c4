import { useServices } from '../../app'
import { viewerRoute } from '../../http/auth/viewer'

/** `GET /api/setup`: what is configured, and what the set-up page hands out. 200, 401, 403. */
export default viewerRoute(useServices, async ({ setup }) => setup())

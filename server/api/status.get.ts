import { useServices } from '../app'
import { viewerRoute } from '../http/auth/viewer'

/** `GET /api/status`: everything that the status page shows. 200, 401, 403. */
export default viewerRoute(useServices, ({ operations }) => operations.status())

import { useServices } from '../../app'
import { deciderRoute } from '../../http/auth/viewer'

/** `POST /api/setup/email`: sends a test email. 200 with when and where to; 401, 403, 429, 503; 502 with why. */
export default deciderRoute(useServices, ({ testEmail }) => testEmail.send())

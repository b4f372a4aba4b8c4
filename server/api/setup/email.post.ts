import { useServices } from '../../app'
import { deciderRoute } from '../../http/auth/viewer'

/** `POST /api/setup/email`: sends a test email. 200 with time and recipient; 401, 403, 429, 503; 502 with reason. */
export default deciderRoute(useServices, ({ testEmail }) => testEmail.send())

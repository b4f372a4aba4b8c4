import { getQuery } from 'h3'
import { useServices } from '../../app'
import { viewerRoute } from '../../http/auth/viewer'

/** `GET /api/setup/email?messageId`: state of a test email. 200, 401, 403, 503. */
export default viewerRoute(
  useServices, ({ testEmail }, event) => testEmail.read(String(getQuery(event).messageId ?? '').slice(0, 100)),
)

import { useServices } from '../../app'
import { route } from '../../http/errors'
import { requireCron } from '../../http/auth/guards'
import { requireListener } from '../../http/platform'

/** `GET /api/<platform>/status`: state of the platform's gateway listener, on any replica. 200, 401, 403, 404. */
export default route(async (event) => {
  const { config, platform } = useServices()
  const listener = requireListener(event, platform)
  requireCron(event, config.cronSecret, { optional: !config.production })
  return listener.status()
})

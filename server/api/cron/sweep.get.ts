import { useServices } from '../../app'
import { route } from '../../http/errors'
import { requireCron } from '../../http/auth/guards'

/** `GET /api/cron/sweep`: runs due work, for hosts without long-lived processes. 200 `{ taken }`, 401, 403. */
export default route(async (event) => {
  const { config, sweep } = useServices()
  requireCron(event, config.cronSecret)
  return { taken: await sweep() }
})

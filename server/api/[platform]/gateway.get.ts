import { useServices } from '../../app'
import { keepAlive } from '../../http/background'
import { route } from '../../http/errors'
import { requireCron } from '../../http/auth/guards'
import { requireListener, started } from '../../http/platform'

/** Duration of listening, ms; a cron job every 9 minutes leaves no gap */
const DURATION_MS = 600_000

/** `GET /api/<platform>/gateway`: listens for 10 minutes; answers once connected. 200, 401, 403, 404, 502, 504. */
export default route(async (event) => {
  const { config, platform } = useServices()
  const listener = requireListener(event, platform)
  requireCron(event, config.cronSecret, { optional: !config.production })
  const listening = listener.listen(DURATION_MS)
  keepAlive(listening.ended)
  await started(listening.connected)
  return { status: 'listening', durationMs: DURATION_MS }
})

import { defineEventHandler } from 'h3'
import { useServices } from '../../app'
import { keepAlive } from '../../http/background'
import { answer, HttpError } from '../../http/errors'
import { requireCron } from '../../http/guards'
import { started } from '../../http/listening'

/** A cron that comes every 9 minutes leaves no gap. */
const DURATION_MS = 600_000

/** `GET /api/discord/gateway`: listens to Discord for 10 minutes; answers once connected. 200, 401, 403, 404; 502 with what failed, 504. */
export default defineEventHandler(event => answer(event, async () => {
  const { config, listener } = useServices()
  const discord = listener('discord')
  if (!discord) throw new HttpError(404, 'GATEWAY_NOT_CONFIGURED', 'Discord adapter not configured')
  requireCron(event, config.cronSecret, { optional: !config.production })
  const listening = discord.listen(DURATION_MS)
  keepAlive(listening.ended)
  await started(listening.connected)
  return { status: 'listening', durationMs: DURATION_MS }
}))

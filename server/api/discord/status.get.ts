import { defineEventHandler } from 'h3'
import { useServices } from '../../app'
import { answer, HttpError } from '../../http/errors'
import { requireCron } from '../../http/guards'

/** `GET /api/discord/status`: how the gateway listener is doing, whichever replica runs it. 200, 401, 403, 404. */
export default defineEventHandler(event => answer(event, async () => {
  const { config, listener } = useServices()
  const discord = listener('discord')
  if (!discord) throw new HttpError(404, 'GATEWAY_NOT_CONFIGURED', 'Discord adapter not configured')
  requireCron(event, config.cronSecret, { optional: !config.production })
  return discord.status()
}))

import { defineEventHandler, getRouterParam, setResponseStatus } from 'h3'
import { useServices } from '../../app'
import { answer } from '../../http/errors'
import { requireDecider } from '../../http/viewer'
import { sendResponse, webRequest } from '../../http/web'

/** Slack sends the card and the form back with a click; no platform sends more than this. */
const MAX_BYTES = 4 * 1024 * 1024

/** `POST /api/webhooks/<platform>`: hands the raw request to the platform's adapter and its response back; 404 for others. */
export default defineEventHandler(event => answer(event, async () => {
  const platform = getRouterParam(event, 'platform', { decode: true }) ?? ''
  const services = useServices()
  const webhook = services.webhook(platform)
  if (webhook) {
    const viewer = webhook.fromPages ? await requireDecider(event, services) : null
    return sendResponse(event, await webhook.handle(await webRequest(event, MAX_BYTES), viewer))
  }
  setResponseStatus(event, 404)
  return { error: `Unknown platform: ${platform}` }
}))

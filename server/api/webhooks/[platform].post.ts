import { getRouterParam, setResponseStatus } from 'h3'
import { useServices } from '../../app'
import { LARGEST_BODY } from '../../http/body-limits'
import { route } from '../../http/errors'
import { requireDecider } from '../../http/viewer'
import { sendResponse, webRequest } from '../../http/web'

/** `POST /api/webhooks/<platform>`: hands the request to its adapter, and the response back; 404 for others. */
export default route(async (event) => {
  const platform = getRouterParam(event, 'platform', { decode: true }) ?? ''
  const services = useServices()
  const webhook = services.webhook(platform)
  if (webhook) {
    const viewer = webhook.fromPages ? await requireDecider(event, services) : null
    // Slack sends the card and the form back with a click; no platform sends more than this.
    return sendResponse(event, await webhook.handle(await webRequest(event, services.readBody, LARGEST_BODY), viewer))
  }
  setResponseStatus(event, 404)
  return { error: `Unknown platform: ${platform}` }
})

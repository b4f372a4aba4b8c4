import { getRouterParam, setResponseStatus } from 'h3'
import { useServices } from '../../app'
import { route } from '../../http/errors'
import { requireDecider } from '../../http/auth/viewer'
import { answerWebRequest } from '../../http/web'

/** `POST /api/webhooks/<platform>`: passes the request to its adapter and returns the response; 404 for others. */
export default route(async (event) => {
  const platform = getRouterParam(event, 'platform', { decode: true }) ?? ''
  const services = useServices()
  const webhook = services.webhook(platform)
  if (webhook) {
    const viewer = webhook.fromPages ? await requireDecider(event, services) : null
    return answerWebRequest(event, services.readBody, webhook.maxBytes, request => webhook.handle(request, viewer))
  }
  setResponseStatus(event, 404)
  return { error: `Unknown platform: ${platform}`, message: `Unknown platform: ${platform}` }
})

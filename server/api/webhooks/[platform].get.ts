import { getRouterParam, setResponseHeader } from 'h3'
import { useServices } from '../../app'
import { HttpError, route } from '../../http/errors'
import { answerWebRequest } from '../../http/web'

/** `GET /api/webhooks/<platform>`: the adapter's answer, for platforms that check the address first; else 405. */
export default route(async (event) => {
  const { webhook, readBody } = useServices()
  const platformWebhook = webhook(getRouterParam(event, 'platform', { decode: true }) ?? '')
  if (platformWebhook?.takesGet) {
    return answerWebRequest(event, readBody, 0, request => platformWebhook.handle(request, null))
  }
  setResponseHeader(event, 'Allow', 'POST')
  throw new HttpError(405, 'METHOD_NOT_ALLOWED', 'This address takes POST.')
})

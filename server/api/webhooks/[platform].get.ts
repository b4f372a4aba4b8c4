import { getRouterParam, setResponseHeader } from 'h3'
import { useServices } from '../../app'
import { HttpError, route } from '../../http/errors'
import { sendResponse, webRequest } from '../../http/web'

/** `GET /api/webhooks/<platform>`: the adapter's answer where a platform asks for the address first; 405 for others. */
export default route(async (event) => {
  const { webhook, readBody } = useServices()
  const found = webhook(getRouterParam(event, 'platform', { decode: true }) ?? '')
  if (found?.takesGet) return sendResponse(event, await found.handle(await webRequest(event, readBody, 0), null))
  setResponseHeader(event, 'Allow', 'POST')
  throw new HttpError(405, 'METHOD_NOT_ALLOWED', 'This address takes POST.')
})

import { setResponseHeaders } from 'h3'
import { useServices } from '../app'
import { HttpError, route } from '../http/errors'

/**
 * `GET /api/challenge`: a challenge for the widget of our own human check, on any website; its solution is valid for
 * 20 minutes and one form. 200; 404 if the check is off.
 */
export default route(async (event) => {
  const { challenge } = useServices()
  setResponseHeaders(event, { 'Access-Control-Allow-Origin': '*', 'Cache-Control': 'no-store' })
  if (!challenge) throw new HttpError(404, 'NO_CHALLENGE', 'The human check is off: set HUMAN_CHECK=altcha.')
  return challenge()
})

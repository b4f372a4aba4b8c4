import { setResponseStatus } from 'h3'
import { useServices } from '../app'
import { route } from '../http/errors'

/** `GET /api/ready`: readiness of the store and of all platforms. 200 or 503, both `{ ready, reasons, warnings }`. */
export default route(async (event) => {
  const readiness = await useServices().operations.ready()
  if (!readiness.ready) setResponseStatus(event, 503)
  return readiness
})

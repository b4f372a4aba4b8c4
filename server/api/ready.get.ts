import { setResponseStatus } from 'h3'
import { useServices } from '../app'
import { route } from '../http/errors'

/** `GET /api/ready`: whether the store and every platform take us. 200 or 503, both `{ ready, reasons, warnings }`. */
export default route(async (event) => {
  const readiness = await useServices().operations.ready()
  if (!readiness.ready) setResponseStatus(event, 503)
  return readiness
})

import { setResponseHeader } from 'h3'
import { describeApi } from '../app'
import { route } from '../http/errors'

/** `GET /api/openapi.json`: OpenAPI description of the public routes. 200. */
export default route(async (event) => {
  setResponseHeader(event, 'Access-Control-Allow-Origin', '*')
  return describeApi()
})

import { defineEventHandler } from 'h3'
import { useServices } from '../../app'
import { readJson } from '../../http/body'
import { opsAction } from '../../http/ops-route'

const MAX_BYTES = 64 * 1024

/**
 * `POST /api/submissions/search`: as `GET /api/submissions`, with the query as JSON, because what people search for is
 * form data and has no place in URLs. With `ids`, those of them that are still pending. 200, 400, 401, 403, 415, 503.
 */
export default defineEventHandler((event) => {
  const services = useServices()
  return opsAction(event, services, async () => services.opsSubmissions.list(await readJson(event, services.readBody, MAX_BYTES)))
})

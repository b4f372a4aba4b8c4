import { defineEventHandler } from 'h3'
import { useServices } from '../../app'
import { opsRoute } from '../../http/ops-route'

/** `GET /api/ops/context`: what the pages say about this deployment. 401, 403. */
export default defineEventHandler((event) => {
  const services = useServices()
  const { sandbox, formUrl, sampleCurl } = services
  return opsRoute(event, services, async () => ({ sandbox: sandbox !== null, formUrl, curl: sampleCurl }))
})

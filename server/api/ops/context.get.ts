import { defineEventHandler } from 'h3'
import type { OpsContext } from '../../../shared/types/session'
import { useServices } from '../../app'
import { opsRoute } from '../../http/ops-route'

/** `GET /api/ops/context`: what the pages say about this deployment. 401, 403. */
export default defineEventHandler((event) => {
  const services = useServices()
  const { sandbox, formUrl, sampleCurl } = services
  return opsRoute(event, services, async (): Promise<OpsContext> => ({ sandbox: sandbox !== null, formUrl, curl: sampleCurl }))
})

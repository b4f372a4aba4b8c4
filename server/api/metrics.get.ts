import { setResponseHeader } from 'h3'
import { useServices } from '../app'
import { HttpError, route } from '../http/errors'
import { requireBearer } from '../http/auth/guards'

/** `GET /api/metrics`: Prometheus text format for the bearer of METRICS_TOKEN. 200, 401, 403. */
export default route(async (event) => {
  const { config, operations } = useServices()
  const token = config.ops.metricsToken
  if (!token || !operations.metrics) throw new HttpError(
    403, 'METRICS_OFF', 'Set METRICS_TOKEN to let Prometheus read the metrics.',
  )
  requireBearer(event, token, 'METRICS_TOKEN')
  const { contentType, body } = await operations.metrics()
  setResponseHeader(event, 'Content-Type', contentType)
  return body
})

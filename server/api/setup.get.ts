import { defineEventHandler } from 'h3'
import { useServices } from '../app'
import { answer } from '../http/errors'
import { requireViewer } from '../http/viewer'

/** `GET /api/setup`: what is configured, and what the set-up page hands out. 200, 401, 403. */
export default defineEventHandler(event => answer(event, async () => {
  const services = useServices()
  await requireViewer(event, services)
  return services.setup()
}))

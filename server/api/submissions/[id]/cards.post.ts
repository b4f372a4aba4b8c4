import { defineEventHandler, getRouterParam } from 'h3'
import { useServices } from '../../../app'
import { opsAction } from '../../../http/ops-route'

/**
 * `POST /api/submissions/<id>/cards`: posts the cards again that their platforms refused. 200 `{ cards }`, how many they
 * are; 401, 403, 404, 410 with how it ended, 503.
 */
export default defineEventHandler((event) => {
  const services = useServices()
  return opsAction(event, services, async () => ({ cards: await services.opsSubmissions.postAgain(getRouterParam(event, 'id') ?? '') }))
})

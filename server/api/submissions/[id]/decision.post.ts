import { defineEventHandler, getRouterParam, setResponseStatus } from 'h3'
import { useServices } from '../../../app'
import { LARGEST_BODY } from '../../../http/bodies'
import { readJson } from '../../../http/body'
import { opsAction } from '../../../http/ops-route'

/**
 * `POST /api/submissions/<id>/decision`: `{ action: 'forward' | 'spam' }` or `{ action: 'edit', values: { f0: text } }`.
 *
 * 200; 400, with `errors` by field id when the texts do not fit; 401, 403, 404; 409 with who decided; 503.
 */
export default defineEventHandler((event) => {
  const services = useServices()
  return opsAction(event, services, async (viewer) => {
    const refused = await services.opsSubmissions.decide(getRouterParam(event, 'id') ?? '', await readJson(event, services.readBody, LARGEST_BODY), viewer)
    if (!refused) return { status: 'decided' }
    setResponseStatus(event, 400)
    return { error: 'Some values do not fit their fields. Nothing was decided.', code: 'INVALID_VALUES', errors: refused.errors }
  })
})

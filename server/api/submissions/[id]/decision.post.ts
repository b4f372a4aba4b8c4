import { getRouterParam, setResponseStatus } from 'h3'
import { useServices } from '../../../app'
import { LARGEST_BODY, readJson } from '../../../http/body'
import { deciderRoute } from '../../../http/viewer'

/**
 * `POST /api/submissions/<id>/decision`: `{ action: 'forward' | 'spam' }` or `{ action: 'edit', values: { f0: text }
 * }`.
 *
 * 200; 400, with `errors` by field id when the texts do not fit; 401, 403, 404; 409 with who decided; 503.
 */
export default deciderRoute(useServices, async ({ opsSubmissions, readBody }, event, viewer) => {
  const refused = await opsSubmissions.decide(
    getRouterParam(event, 'id') ?? '', await readJson(event, readBody, LARGEST_BODY), viewer,
  )
  if (!refused) return { status: 'decided' }
  setResponseStatus(event, 400)
  return {
    error: 'Some values do not fit their fields. Nothing was decided.', code: 'INVALID_VALUES', errors: refused.errors,
  }
})

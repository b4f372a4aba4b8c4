import { getRouterParam, setResponseStatus } from 'h3'
import { useServices } from '../../../app'
import { readJson } from '../../../http/body/body'
import { LARGEST_BODY } from '../../../http/body/body-memory'
import { deciderRoute } from '../../../http/auth/viewer'

/**
 * `POST /api/submissions/<id>/decision`: `{ action: 'forward' | 'spam' }`, `{ action: 'edit', values: { f0: text } }`;
 * `undo` revokes a forward, `reopen` spam, `release` a quarantine; `take`, `hand-back`, `erase`. `press` is an optional
 * id, up to 64 characters: send the same one to repeat a request after a lost answer, and it is done only once.
 *
 * 200; 400, with `errors` by field id if texts are invalid; 401, 403, 404; 409 with who decided; 410 with who erased it
 * before; 423 with the assignee: repeat the request to decide anyway, unless the form is exclusive; 503.
 */
export default deciderRoute(useServices, async ({ opsSubmissions, readBody }, event, viewer) => {
  const refusal = await opsSubmissions.decide(
    getRouterParam(event, 'id') ?? '', await readJson(event, readBody, LARGEST_BODY), viewer,
  )
  if (!refusal) return { status: 'decided' }
  setResponseStatus(event, 400)
  const message = 'Some values do not fit their fields. Nothing was decided.'
  return { error: message, message, code: 'INVALID_VALUES', errors: refusal.errors }
})

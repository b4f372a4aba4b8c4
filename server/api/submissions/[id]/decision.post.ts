import { getRouterParam, setResponseStatus } from 'h3'
import { useServices } from '../../../app'
import { readJson } from '../../../http/body/body'
import { LARGEST_BODY } from '../../../http/body/body-memory'
import { deciderRoute } from '../../../http/auth/viewer'

/**
 * `POST /api/submissions/<id>/decision`: `{ action: 'forward' | 'spam' }`, `{ action: 'edit', values: { f0: text } }`;
 * `undo` revokes a forward, `reopen` spam, `release` a quarantine; `take`, `hand-back`, `erase`. With a `press`, an id
 * of up to 64 characters that stays the same if the request is repeated after a lost answer, it is done once.
 *
 * 200; 400, with `errors` by field id if texts do not fit; 401, 403, 404; 409 with who decided; 410 with who erased it
 * before; 423 with the assignee: a repetition decides anyway, unless the form is exclusive; 503.
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

import type { BulkResult } from '../../../shared/types/submissions'
import { useServices } from '../../app'
import { readJson } from '../../http/body/body'
import { answerTo } from '../../http/errors'
import { deciderRoute } from '../../http/auth/viewer'

const MAX_BYTES = 64 * 1024

/**
 * `POST /api/submissions/decisions`: `{ ids, action }`, up to 200 ids; `action` is `forward`, `spam`, `release`,
 * `undo`, `reopen`, `take` or `hand-back`. Decides each submission like a separate request.
 *
 * 200 `{ results: [{ id, status, error?, code? }] }` in the order of the ids, each with the answer to its decision;
 * 400, 401, 403, 415.
 */
export default deciderRoute(useServices, async ({ opsSubmissions, readBody }, event, viewer) => {
  const results = await opsSubmissions.decideAll(await readJson(event, readBody, MAX_BYTES), viewer)
  return { results: results.map(
    ({ id, error }): BulkResult => ({ id, ...error === null ? { status: 200 } : answerTo(error) }),
  ) }
})

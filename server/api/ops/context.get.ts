import type { OpsContext } from '../../../shared/types/session'
import { useServices } from '../../app'
import { viewerRoute } from '../../http/auth/viewer'

/** `GET /api/ops/context`: facts about this deployment for the pages. 401, 403. */
export default viewerRoute(useServices, async ({ sandbox, formUrl, sampleCurl, config }): Promise<OpsContext> =>
  ({
    sandbox: sandbox !== null, revocableMs: config.revocableMs, formUrl, curl: sampleCurl,
  }))

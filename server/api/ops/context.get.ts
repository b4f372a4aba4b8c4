import type { OpsContext } from '../../../shared/types/session'
import { useServices } from '../../app'
import { viewerRoute } from '../../http/auth/viewer'

/** `GET /api/ops/context`: what the pages say about this deployment. 401, 403. */
export default viewerRoute(useServices, async ({ sandbox, formUrl, sampleCurl, config }): Promise<OpsContext> =>
  ({
    sandbox: sandbox !== null, revocableMs: config.revocableMs, formUrl, curl: sampleCurl,
  }))

import type { SandboxState } from '../../../shared/types/sandbox'
import { useServices } from '../../app'
import { route } from '../../http/errors'
import { requireSandbox } from '../../http/auth/viewer'

/** `GET /api/sandbox/state`: the embedded rooms and the caught emails, for the sandbox page. */
export default route(async (event): Promise<SandboxState> => {
  const services = useServices()
  const { rooms, emails, viewer } = await requireSandbox(event, services)
  const { config, formUrl, sampleCurl, sampleUpload } = services
  const signedInAs = config.ops.canSignIn ? viewer.name : null
  return {
    revision: rooms.revision, channels: rooms.channels, messages: rooms.list(), emails: emails.toReversed(), formUrl,
    curl: sampleCurl, upload: sampleUpload, signedInAs,
  }
})

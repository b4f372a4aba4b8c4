import { defineEventHandler } from 'h3'
import type { SandboxState } from '../../../shared/types/sandbox'
import { useServices } from '../../app'
import { answer } from '../../http/errors'
import { requireSandbox } from '../../http/sandbox'

/** `GET /api/sandbox/state`: the embedded room and the emails caught, for the sandbox page. */
export default defineEventHandler(event => answer(event, async (): Promise<SandboxState> => {
  const services = useServices()
  const { room, emails, viewer } = await requireSandbox(event, services)
  const { config, formUrl, sampleCurl } = services
  const signedInAs = config.ops.canSignIn ? viewer.name : null
  return { channel: room.channel, messages: room.list(), emails: emails.toReversed(), formUrl, curl: sampleCurl, signedInAs }
}))

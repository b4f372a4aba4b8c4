import { defineEventHandler } from 'h3'
import { useServices } from '../../app'
import { answer } from '../../http/errors'
import { requireSandbox } from '../../http/sandbox'

/** `GET /api/sandbox/state`: the embedded room and the emails caught, for the sandbox page. */
export default defineEventHandler(event => answer(event, async () => {
  const services = useServices()
  const { room, emails, viewer } = await requireSandbox(event, services)
  const { config, formUrl, sampleCurl } = services
  return { channel: room.channel, messages: room.list(), emails: emails.toReversed(), formUrl, curl: sampleCurl, signedInAs: config.ops.canSignIn ? viewer.name : null }
}))

import { defineEventHandler } from 'h3'
import { useServices } from '../../app'
import { answer } from '../../http/errors'
import { requireSandbox } from '../../http/sandbox'

/** `GET /api/sandbox/state`: the embedded room and the emails caught, for the sandbox page. */
export default defineEventHandler(event => answer(event, async () => {
  const { sandbox, formUrl, sampleCurl } = useServices()
  const { room, emails } = requireSandbox(event, sandbox)
  return { channel: room.channel, messages: room.list(), emails: emails.toReversed(), formUrl, curl: sampleCurl }
}))

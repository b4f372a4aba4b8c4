import { createEventStream, defineEventHandler } from 'h3'
import { useServices } from '../../app'
import { answer } from '../../http/errors'
import { requireSandbox } from '../../http/sandbox'

/** `GET /api/sandbox/events`: server-sent `change` events; each means that the state is to be fetched again. */
export default defineEventHandler(event => answer(event, async () => {
  const { room } = requireSandbox(event, useServices().sandbox)
  const stream = createEventStream(event)
  const changed = () => void stream.push({ event: 'change', data: '' })
  const unwatch = room.watch({ changed, closed: () => void stream.close() })
  // What changed while the page was connecting; the first event also sends the headers, which open the stream.
  changed()
  stream.onClosed(async () => unwatch())
  return stream.send()
}))

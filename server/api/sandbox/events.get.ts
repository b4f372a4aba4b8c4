import { getQuery } from 'h3'
import { useServices } from '../../app'
import { route } from '../../http/errors'
import { eventStream } from '../../http/streams'
import { requireSandbox } from '../../http/auth/viewer'

/**
 * `GET /api/sandbox/events?since`: server-sent events. Load the state again after `changed`; `heartbeat`s show that the
 * stream works. The first `changed` comes at once, unless `since` is the current `revision`.
 */
export default route(async (event) => {
  const { rooms, viewer } = await requireSandbox(event, useServices())
  const { since } = getQuery(event)
  return eventStream(event, viewer.id, ({ send, beat, close }) => rooms.watch(
    { changed: () => send('changed', ''), alive: () => beat(), closed: close },
    typeof since === 'string' ? since : undefined,
  ))
})

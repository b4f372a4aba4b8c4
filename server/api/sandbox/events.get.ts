import { getQuery } from 'h3'
import { useServices } from '../../app'
import { route } from '../../http/errors'
import { eventStream } from '../../http/streams'
import { requireSandbox } from '../../http/auth/viewer'

/**
 * `GET /api/sandbox/events?since`: server-sent `changed` events, after which the state should be loaded again, and
 * `heartbeat`s. The first `changed` comes at once, unless `since` is the current `revision`.
 */
export default route(async (event) => {
  const { rooms, viewer } = await requireSandbox(event, useServices())
  const { since } = getQuery(event)
  return eventStream(event, viewer.id, ({ send, beat, close }) => rooms.watch(
    { changed: () => send('changed', ''), alive: () => beat(), closed: close },
    typeof since === 'string' ? since : undefined,
  ))
})

import { getQuery } from 'h3'
import { useServices } from '../../app'
import { route } from '../../http/errors'
import { eventStream } from '../../http/streams'
import { requireSandbox } from '../../http/auth/viewer'

/**
 * `GET /api/sandbox/events?since`: server-sent `changed` events, each of which means that the state is to be fetched
 * again, the first at once unless its `revision` is that; and `heartbeat`s.
 */
export default route(async (event) => {
  const { rooms, viewer } = await requireSandbox(event, useServices())
  const { since } = getQuery(event)
  return eventStream(event, viewer.id, ({ send, beat, close }) => rooms.watch(
    { changed: () => send('changed', ''), alive: () => beat(), closed: close },
    typeof since === 'string' ? since : undefined,
  ))
})

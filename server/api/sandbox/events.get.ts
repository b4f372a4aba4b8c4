import { useServices } from '../../app'
import { route } from '../../http/errors'
import { eventStream } from '../../http/streams'
import { requireSandbox } from '../../http/viewer'

/**
 * `GET /api/sandbox/events`: server-sent `changed` events, each of which means that the state is to be fetched again;
 * and `heartbeat`s.
 */
export default route(async (event) => {
  const { room } = await requireSandbox(event, useServices())
  return eventStream(
    event, ({ send, beat, close }) => room.watch({ changed: () => send('changed', ''), alive: beat, closed: close }),
  )
})

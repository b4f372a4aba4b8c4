import { useServices } from '../../app'
import { eventStream } from '../../http/streams'
import { viewerRoute } from '../../http/viewer'

/**
 * `GET /api/submissions/events`: server-sent `changed` events, each a JSON list of ids, or null when any submission may
 * have changed; and `heartbeat`s, which stop when changes would not be heard of. No form data. 401, 403, 503.
 */
export default viewerRoute(useServices, ({ opsSubmissions }, event) => eventStream(event, ({ send, beat, close }) =>
  opsSubmissions.feed.listen({ changed: ids => send('changed', JSON.stringify(ids)), alive: beat, closed: close })))

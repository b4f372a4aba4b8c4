import { getQuery } from 'h3'
import { useServices } from '../../app'
import { eventStream } from '../../http/streams'
import { viewerRoute } from '../../http/auth/viewer'

/**
 * `GET /api/submissions/events?since`: server-sent `changed` events, each a JSON list of ids, or null if any submission
 * may have changed; and `heartbeat`s, which stop when changes would be missed, and tell why forms are refused while
 * they are. Begins with null, unless nothing has changed since the `revision` of a page. No form data. 401, 403, 429,
 * 503.
 */
export default viewerRoute(useServices, ({ opsSubmissions, operations }, event, viewer) => {
  const { since } = getQuery(event)
  return eventStream(event, viewer.id, ({ send, beat, close }) => opsSubmissions.feed.listen({
    knows: typeof since === 'string' ? since : undefined,
    changed: ids => send('changed', JSON.stringify(ids)), closed: close,
    alive: () => beat(operations.refusal() ?? undefined),
  }))
})

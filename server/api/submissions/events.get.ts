import { getQuery } from 'h3'
import { useServices } from '../../app'
import { eventStream } from '../../http/streams'
import { viewerRoute } from '../../http/auth/viewer'

/**
 * `GET /api/submissions/events?since`: server-sent events. `changed` contains a JSON list of ids, or null if any
 * submission may have changed. `heartbeat`s stop when changes would be missed; while forms are refused, they contain
 * the reason. Begins with null, unless nothing has changed since the `revision` of a page. No form data. 401, 403, 429,
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

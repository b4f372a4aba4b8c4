import { defineEventHandler } from 'h3'
import { useServices } from '../../app'
import { eventStream } from '../../http/event-stream'
import { opsRoute } from '../../http/ops-route'

/**
 * `GET /api/submissions/events`: server-sent `changed` events, each a JSON list of ids, or null when any submission may
 * have changed; and `heartbeat`s, which stop when changes would not be heard of. No form data. 401, 403, 503.
 */
export default defineEventHandler((event) => {
  const services = useServices()
  return opsRoute(event, services, () => eventStream(event, ({ send, beat, close }) =>
    services.opsSubmissions.feed.listen({ changed: ids => send('changed', JSON.stringify(ids)), alive: beat, closed: close })))
})

import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Server } from 'node:http'

const STARTED = 'http.server.request.start'

/**
 * How long a connection may idle, ms. By itself node ends it after 5 s, perhaps while a proxy in front hands a form to
 * it, which is lost then: so the proxy has to be the one that ends it, after 60 s by default
 * (https://docs.aws.amazon.com/elasticloadbalancing/latest/classic/config-idle-timeout.html).
 */
const IDLE_MS = 75_000

/**
 * How long a request may arrive, ms: node would end it after 5 minutes, large files or not. `readBody` and `readUpload`
 * bound the bodies that they read; this is for a body that nobody reads, and longer than anybody waits for an upload.
 */
const LONGEST_MS = 2 * 60 * 60 * 1000

/**
 * Has the server keep connections that idle or bring much; the returned function ends all of them. Nitro keeps its
 * server to itself, but its first request brings it along.
 */
export function keepConnections(): () => void {
  let server: Server | undefined
  const keep = (message: unknown) => {
    ({ server } = message as { server: Server })
    server.keepAliveTimeout = IDLE_MS
    server.requestTimeout = LONGEST_MS
    unsubscribe(STARTED, keep)
  }
  subscribe(STARTED, keep)
  return () => server?.closeAllConnections()
}

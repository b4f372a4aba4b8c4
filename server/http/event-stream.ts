import { createEventStream, type H3Event } from 'h3'
import { HttpError } from './errors'

/** Proxies close connections on which nothing moves, many of them after 30 s. */
const HEARTBEAT_MS = 20_000

/** The browser connects again by itself, and is then asked again who it is: a sign-out ends a stream by then at the latest. */
const LIFETIME_MS = 5 * 60_000

/** What the browser waits before it connects again, ms. */
const RETRY_MS = 1000

interface Stream {
  send: (event: string, data: string) => void
  close: () => void
}

/**
 * Server-sent events, from `ready` at the start until the browser leaves.
 *
 * @param listen starts the events; returns what stops them, or null when there is no room for another listener
 * @throws HttpError 503
 */
export async function eventStream(event: H3Event, listen: (stream: Stream) => (() => void) | null): Promise<void> {
  const events = createEventStream(event)
  const send = (name: string, data: string) => void events.push({ event: name, data, retry: RETRY_MS })
  const close = () => void events.close()
  const stop = listen({ send, close })
  if (!stop) throw new HttpError(503, 'TOO_MANY_LISTENERS', 'Too many pages listen for changes already. Close some, or reload this one later.')
  const heartbeat = setInterval(send, HEARTBEAT_MS, 'heartbeat', '')
  const end = setTimeout(close, LIFETIME_MS)
  events.onClosed(async () => {
    clearInterval(heartbeat)
    clearTimeout(end)
    stop()
  })
  // Also sends the headers, which open the stream.
  send('ready', '')
  return events.send()
}

import { pipeline } from 'node:stream/promises'
import { createEventStream, setResponseHeader, setResponseHeaders, type H3Event } from 'h3'
import { HttpError, reportUnexpected } from './errors'

/** The browser connects again by itself and is asked again who it is, so that a sign-out ends every stream. */
const LIFETIME_MS = 5 * 60_000

/** What the browser waits before it connects again, ms. */
const RETRY_MS = 1000

interface Stream {
  send: (event: string, data: string) => void
  /** Says that the page is told of every change; the page counts on hearing it every second or two. */
  beat: () => void
  close: () => void
}

/**
 * Server-sent events, from `ready` at the start until the browser leaves, with `heartbeat`s while they are worth
 * waiting for.
 *
 * @param listen starts the events; returns what stops them, or null when there is no room for another listener
 * @throws HttpError 503
 */
export async function eventStream(event: H3Event, listen: (stream: Stream) => (() => void) | null): Promise<unknown> {
  // Nothing would ever end it, for whoever reads no body.
  if (event.method === 'HEAD') {
    setResponseHeader(event, 'Content-Type', 'text/event-stream')
    return ''
  }
  const events = createEventStream(event)
  const send = (name: string, data: string) => void events.push({ event: name, data, retry: RETRY_MS })
  const close = () => void events.close()
  // The first event also sends the headers, which open the stream.
  send('ready', '')
  const stop = listen({ send, beat: () => send('heartbeat', ''), close })
  if (!stop) throw new HttpError(
    503, 'TOO_MANY_LISTENERS', 'Too many pages listen for changes already. Close some, or reload this one later.',
  )
  const end = setTimeout(close, LIFETIME_MS)
  events.onClosed(async () => {
    clearTimeout(end)
    stop()
  })
  return events.send()
}

/**
 * Sends what is made bit by bit, no faster than it is taken. Until the first bit there is nothing to take back, and an
 * error is thrown; after it the connection breaks, so that half a file is not taken for a whole one.
 */
export async function sendDownload(
  event: H3Event, made: AsyncIterable<string | Buffer>, headers: Record<string, string>,
): Promise<void> {
  const bits = made[Symbol.asyncIterator]()
  const first = await bits.next()
  setResponseHeaders(event, headers)
  async function* all() {
    try {
      for (let bit = first; !bit.done; bit = await bits.next()) yield bit.value
    }
    finally {
      await bits.return?.()
    }
  }
  await pipeline(all, event.node.res).catch((error: NodeJS.ErrnoException) => {
    // Who asked has left.
    if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') reportUnexpected(error)
  })
}

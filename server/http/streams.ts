import { pipeline } from 'node:stream/promises'
import { createEventStream, setResponseHeader, setResponseHeaders, type H3Event } from 'h3'
import { HttpError, reportUnexpected } from './errors'

/** Max age of a stream, ms. The browser reconnects and is authenticated again, so that a sign-out ends every stream. */
const LIFETIME_MS = 5 * 60_000

/** Pause before the browser reconnects, ms */
const RETRY_MS = 1000

/** Max open streams of one person: a tenth of the limit for all people together */
const MOST_STREAMS = 20

/** Number of open streams by person id */
const openStreams = new Map<string, number>()

interface Stream {
  send: (event: string, data: string) => void
  /**
   * Confirms that the page gets every change; the page expects this every second or two.
   *
   * @param data further information at this moment
   */
  beat: (data?: string) => void
  close: () => void
}

/**
 * Sends server-sent events, from `ready` at the start until the browser leaves or the stream is too old. `heartbeat`s
 * show that the stream still works.
 *
 * @param person id of the viewer
 * @param listen starts the events; returns a function that stops them, or null if there is no room for another listener
 * @throws HttpError 429 if the person has too many streams, 503 if there are too many in all
 */
export async function eventStream(
  event: H3Event, person: string, listen: (stream: Stream) => (() => void) | null,
): Promise<unknown> {
  // The client reads no body, so nothing would ever end the stream.
  if (event.method === 'HEAD') {
    setResponseHeader(event, 'Content-Type', 'text/event-stream')
    return ''
  }
  const openCount = openStreams.get(person) ?? 0
  if (openCount >= MOST_STREAMS) throw new HttpError(
    429, 'TOO_MANY_LISTENERS', `You have ${openCount} pages open that listen for changes. Close some, then reload this one.`,
  )
  const events = createEventStream(event)
  const send = (name: string, data: string) => void events.push({ event: name, data, retry: RETRY_MS })
  const close = () => void events.close()
  // The first event also sends the headers, which open the stream.
  send('ready', '')
  const stop = listen({ send, beat: (data = '') => send('heartbeat', data), close })
  if (!stop) throw new HttpError(
    503, 'TOO_MANY_LISTENERS', 'Too many pages listen for changes already. Close some, or reload this one later.',
  )
  const endTimer = setTimeout(close, LIFETIME_MS)
  openStreams.set(person, openCount + 1)
  events.onClosed(async () => {
    clearTimeout(endTimer)
    stop()
    const remainingCount = openStreams.get(person)! - 1
    if (remainingCount > 0) openStreams.set(person, remainingCount)
    else openStreams.delete(person)
  })
  return events.send()
}

/**
 * Streams content no faster than the client reads. An error before the first chunk is thrown, because nothing was sent
 * yet. A later one breaks the connection, so that half a file is not taken for a whole one.
 */
export async function sendDownload(
  event: H3Event, content: AsyncIterable<string | Buffer>, headers: Record<string, string>,
): Promise<void> {
  const iterator = content[Symbol.asyncIterator]()
  const firstResult = await iterator.next()
  setResponseHeaders(event, headers)
  async function* streamChunks() {
    try {
      for (let result = firstResult; !result.done; result = await iterator.next()) yield result.value
    }
    finally {
      await iterator.return?.()
    }
  }
  await pipeline(streamChunks, event.node.res).catch((error: NodeJS.ErrnoException) => {
    // The client has left.
    if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') reportUnexpected(error)
  })
}

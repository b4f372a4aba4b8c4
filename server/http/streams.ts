import { pipeline } from 'node:stream/promises'
import { createEventStream, setResponseHeader, setResponseHeaders, type H3Event } from 'h3'
import { HttpError, reportUnexpected } from './errors'

/** The browser connects again by itself and is asked again who it is, so that a sign-out ends every stream. */
const LIFETIME_MS = 5 * 60_000

/** What the browser waits before it connects again, ms. */
const RETRY_MS = 1000

/** Open streams of one person: there is room for ten such people. */
const MOST_STREAMS = 20

/** How many streams each person has open, by id. */
const open = new Map<string, number>()

interface Stream {
  send: (event: string, data: string) => void
  /**
   * Says that the page is told of every change; the page counts on hearing it every second or two.
   *
   * @param data what else is to be known just now
   */
  beat: (data?: string) => void
  close: () => void
}

/**
 * Server-sent events, from `ready` at the start until the browser leaves, with `heartbeat`s while they are worth
 * waiting for.
 *
 * @param person who looks, by id
 * @param listen starts the events; returns what stops them, or null when there is no room for another listener
 * @throws HttpError 429 when the person has too many streams, 503 when all have
 */
export async function eventStream(
  event: H3Event, person: string, listen: (stream: Stream) => (() => void) | null,
): Promise<unknown> {
  // Nothing would ever end it, for whoever reads no body.
  if (event.method === 'HEAD') {
    setResponseHeader(event, 'Content-Type', 'text/event-stream')
    return ''
  }
  const others = open.get(person) ?? 0
  if (others >= MOST_STREAMS) throw new HttpError(
    429, 'TOO_MANY_LISTENERS', `You have ${others} pages open that listen for changes. Close some, then reload this one.`,
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
  const end = setTimeout(close, LIFETIME_MS)
  open.set(person, others + 1)
  events.onClosed(async () => {
    clearTimeout(end)
    stop()
    const left = open.get(person)! - 1
    if (left > 0) open.set(person, left)
    else open.delete(person)
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

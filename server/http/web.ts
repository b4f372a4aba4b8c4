import { getRequestURL, type H3Event } from 'h3'
import type { ReadBody } from './body'
import { HttpError } from './errors'

/** What adapters read of a request. */
type Read = Pick<Request, 'url' | 'method' | 'headers' | 'arrayBuffer' | 'text' | 'json' | 'clone'>

/**
 * A request whose body is here already. To make one of node's own, with a signal that nobody listens to, takes longer
 * than to check who signed it, and streams around the body would cost as much as the rest of what a click waits for.
 */
class ReadRequest implements Read {
  constructor(
    readonly url: string, readonly method: string, readonly headers: Headers,
    private readonly content: Buffer<ArrayBuffer>,
  ) {}

  async arrayBuffer(): Promise<ArrayBuffer> {
    const { buffer, byteOffset, length } = this.content
    return buffer.slice(byteOffset, byteOffset + length)
  }

  async text(): Promise<string> {
    return this.content.toString()
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.text())
  }

  /** Itself: what was read can be read again. */
  clone(): Request {
    return this as Read as Request
  }
}

/** The request as the web platform knows it, its body read within bounds. @throws HttpError as `ReadBody`, 400 */
export async function webRequest(event: H3Event, read: ReadBody, maxBytes: number): Promise<Request> {
  const request: Read = new ReadRequest(
    addressOf(event).href, event.method, event.headers, await read(event, maxBytes),
  )
  return request as Request
}

/** The address that was asked for. @throws HttpError 400 */
function addressOf(event: H3Event): URL {
  try {
    return getRequestURL(event)
  }
  catch {
    throw new HttpError(
      400, 'INVALID_HOST',
      'The Host header, or the path, is no part of an address. Send the name and port under which this service is reached.',
    )
  }
}

/** Answers with a response of the web platform, at once: h3 would set up streams, and let others go first. */
export async function sendResponse({ node: { res } }: H3Event, response: Response): Promise<void> {
  // As text, which node writes in one piece with the head; no platform is answered with anything else.
  const body = response.body ? await response.text() : ''
  res.statusCode = response.status
  res.setHeaders(response.headers).end(body)
}

import { getRequestURL, type H3Event } from 'h3'
import type { ReadBody } from './body'
import { HttpError } from './errors'

/** A request whose body is here already. Streams around it would cost as much as the rest of what a click waits for. */
class ReadRequest extends Request {
  constructor(
    url: string | URL, { method, headers }: { method: string, headers: Headers },
    private readonly content: Buffer<ArrayBuffer>,
  ) {
    super(url, { method, headers })
  }

  override async arrayBuffer(): Promise<ArrayBuffer> {
    const { buffer, byteOffset, length } = this.content
    return buffer.slice(byteOffset, byteOffset + length)
  }

  override async text(): Promise<string> {
    return this.content.toString()
  }

  override async json(): Promise<unknown> {
    return JSON.parse(await this.text())
  }

  override clone(): Request {
    return new ReadRequest(this.url, this, this.content)
  }
}

/** The request as the web platform knows it, its body read within bounds. @throws HttpError as `ReadBody`, 400 */
export async function webRequest(event: H3Event, read: ReadBody, maxBytes: number): Promise<Request> {
  return new ReadRequest(addressOf(event), event, await read(event, maxBytes))
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
  const body = await response.text()
  res.statusCode = response.status
  res.setHeaders(response.headers).end(body)
}

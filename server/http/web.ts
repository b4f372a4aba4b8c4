import { getRequestURL, type H3Event } from 'h3'
import { isNestedTooDeep, jsonIn } from '../../shared/utils/json'
import type { ReadBody } from './body/body'
import { HttpError } from './errors'

/** Parts of a request that adapters read. */
type RequestParts = Pick<Request, 'url' | 'method' | 'headers' | 'arrayBuffer' | 'text' | 'json' | 'clone'>

/**
 * A request whose body is read only when an adapter asks for it, so that adapters can check a token first. Creating a
 * `Request` of node's own, with its unused signal, takes longer than checking a signature, and streams around the body
 * would cost as much as the rest of the answer to a click.
 */
class ArrivingRequest implements RequestParts {
  /** Time that the body took to arrive, ms. */
  arrivalMs = 0
  private body: Promise<Buffer<ArrayBuffer>> | undefined

  constructor(
    readonly url: string, readonly method: string, readonly headers: Headers,
    private readonly receive: () => Promise<Buffer<ArrayBuffer>>,
  ) {}

  async arrayBuffer(): Promise<ArrayBuffer> {
    const { buffer, byteOffset, length } = await this.content()
    return buffer.slice(byteOffset, byteOffset + length)
  }

  async text(): Promise<string> {
    return (await this.content()).toString()
  }

  async json(): Promise<unknown> {
    const text = await this.text()
    if (isNestedTooDeep(text)) throw new SyntaxError('The JSON is nested too deep.')
    return JSON.parse(text)
  }

  /** Returns the request itself: its body can be read again. */
  clone(): Request {
    return this as RequestParts as Request
  }

  /** Rejects if reading the body failed: adapters take any such error for broken JSON. */
  async checkBody(): Promise<void> {
    await this.body
  }

  private content(): Promise<Buffer<ArrayBuffer>> {
    const askedAt = performance.now()
    return this.body ??= this.receive().finally(() => { this.arrivalMs = performance.now() - askedAt })
  }
}

/** Request that handlers receive */
export type WebRequest = Request & { readonly arrivalMs: number }

/**
 * Passes the request to a handler of web requests, and sends its response.
 *
 * @param maxBytes limit of the body
 * @throws HttpError as `ReadBody`, 400
 */
export async function answerWebRequest(
  event: H3Event, read: ReadBody, maxBytes: number, handle: (request: WebRequest) => Promise<Response>,
): Promise<void> {
  const request = new ArrivingRequest(
    addressOf(event).href, event.method, event.headers, () => read(event, maxBytes),
  )
  const response = await handle(request as RequestParts as WebRequest)
  await request.checkBody()
  await sendResponse(event, response)
}

/** Returns the requested URL. @throws HttpError 400 */
function addressOf(event: H3Event): URL {
  try {
    return getRequestURL(event)
  }
  catch {
    throw new HttpError(
      400, 'INVALID_HOST',
      'The Host header or the path is not valid. Send the name and port under which this service is reached.',
    )
  }
}

/** Sends a web response at once: h3 would set up streams and yield to other requests. */
async function sendResponse({ node: { res } }: H3Event, response: Response): Promise<void> {
  // Use text, which node sends in one piece with the headers; all answers to platforms are text.
  const body = response.body ? await response.text() : ''
  res.statusCode = response.status
  res.setHeaders(response.headers).end(response.ok ? body : addMessage(body))
}

/** Repeats the `error` of an adapter's answer as `message`, as errors of routes do. */
function addMessage(body: string): string {
  const errorBody = jsonIn(body) as { error?: unknown, message?: unknown } | null | undefined
  if (typeof errorBody?.error !== 'string' || errorBody.message !== undefined) return body
  return JSON.stringify({ ...errorBody, message: errorBody.error })
}

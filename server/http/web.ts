import { getRequestURL, type H3Event } from 'h3'
import { isNestedTooDeep, jsonIn } from '../../shared/utils/json'
import type { ReadBody } from './body/body'
import { HttpError } from './errors'

/** Parts of a request that adapters read. */
type Read = Pick<Request, 'url' | 'method' | 'headers' | 'arrayBuffer' | 'text' | 'json' | 'clone'>

/**
 * A request whose body arrives when an adapter first asks for it: one that checks a token does that before. To make a
 * request of node's own, with a signal that nobody listens to, takes longer than to check its signature, and streams
 * around the body would cost as much as the rest of what a click waits for.
 */
class ArrivingRequest implements Read {
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

  /** Itself: the body can be read again. */
  clone(): Request {
    return this as Read as Request
  }

  /** Rejects as the body did, if it was asked for: adapters take any error of it for broken JSON. */
  async checkBody(): Promise<void> {
    await this.body
  }

  private content(): Promise<Buffer<ArrayBuffer>> {
    const askedAt = performance.now()
    return this.body ??= this.receive().finally(() => { this.arrivalMs = performance.now() - askedAt })
  }
}

/** A request as handlers are given it. */
export type WebRequest = Request & { readonly arrivalMs: number }

/**
 * Answers with the web platform's response to the web platform's request.
 *
 * @param maxBytes of its body
 * @throws HttpError as `ReadBody`, 400
 */
export async function answerWebRequest(
  event: H3Event, read: ReadBody, maxBytes: number, handle: (request: WebRequest) => Promise<Response>,
): Promise<void> {
  const request = new ArrivingRequest(
    addressOf(event).href, event.method, event.headers, () => read(event, maxBytes),
  )
  const response = await handle(request as Read as WebRequest)
  await request.checkBody()
  await sendResponse(event, response)
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

/** Sends a response of the web platform at once: h3 would set up streams, and let others go first. */
async function sendResponse({ node: { res } }: H3Event, response: Response): Promise<void> {
  // As text, which node writes in one piece with the head; no platform is answered with anything else.
  const body = response.body ? await response.text() : ''
  res.statusCode = response.status
  res.setHeaders(response.headers).end(response.ok ? body : withMessage(body))
}

/** An error of an adapter with its text under both names, as errors of routes have it. */
function withMessage(body: string): string {
  const answer = jsonIn(body) as { error?: unknown, message?: unknown } | null | undefined
  if (typeof answer?.error !== 'string' || answer.message !== undefined) return body
  return JSON.stringify({ ...answer, message: answer.error })
}

import { getRequestHeader, setResponseHeader, type H3Event } from 'h3'
import { isNestedTooDeep, MAX_NESTING } from '../../../shared/utils/json'
import { InvalidSubmission } from '../../domain/errors'
import { parseJson, RepeatedKey } from '../../domain/json'
import type { SentForm } from '../../ports/sender'
import { bodyTooLarge, hasLeft, incomplete, RAISE_FORM_LIMIT, tooSlow, type BodyLimits } from './body-memory'
import { addressGroup, clientAddress, SITE_BITS, wantsPage } from '../request'
import { HttpError } from '../errors'
import { contentDecoder } from './content-encoding'
import { parseUrlencoded } from './form-fields'
import type { FormUpload } from './upload'

/**
 * Reads the raw body. Refuses it as soon as it is too long; node discards the rest.
 *
 * @param advice see `bodyTooLarge`
 * @throws HttpError 400, 408, 413, 429 if the client's bodies need too much memory, 503 if all bodies do
 */
export type ReadBody = (event: H3Event, maxBytes: number, advice?: string) => Promise<Buffer<ArrayBuffer>>

/** Creates a reader that keeps to the memory limit of all bodies and refuses slow senders. */
export function createBodyReader({ memory, timeoutMs, trustedProxies }: BodyLimits): ReadBody {
  return (event, maxBytes, advice) => new Promise((resolve, reject) => {
    const { req: request, res: response } = event.node
    const client = addressGroup(clientAddress(request, trustedProxies), SITE_BITS)
    const declaredBytes = Number(getRequestHeader(event, 'content-length') ?? maxBytes)
    if (declaredBytes > maxBytes) return reject(bodyTooLarge(maxBytes, advice))
    if (hasLeft(request)) return reject(incomplete())
    let [buffer, size] = [Buffer.alloc(0), 0]

    const reservation = memory.open(client, error => refuse(error))
    const grow = (bytes: number) => {
      reservation.resize(bytes)
      const largerBuffer = Buffer.allocUnsafe(bytes)
      buffer.copy(largerBuffer, 0, 0, size)
      buffer = largerBuffer
    }
    const release = () => {
      reservation.release()
      buffer = Buffer.alloc(0)
    }
    const stop = () => {
      clearTimeout(timer)
      request.off('data', onData).off('end', onEnd).off('error', onClose).off('close', onClose)
    }
    const refuse = (error: Error) => {
      stop()
      release()
      reject(error)
      // Without a listener, node discards the rest.
      request.on('error', () => {}).resume()
    }
    const onData = (chunk: Buffer) => {
      try {
        if (size + chunk.length > maxBytes) throw bodyTooLarge(maxBytes, advice)
        // Use one buffer that doubles: thousands of one-byte chunks would take a hundred times their size.
        const neededBytes = size + chunk.length
        if (neededBytes > buffer.length) grow(Math.max(Math.min(2 * buffer.length, declaredBytes), neededBytes))
        size += chunk.copy(buffer, size)
      }
      catch (error) {
        refuse(error as Error)
      }
    }
    const onEnd = () => {
      stop()
      reservation.complete()
      resolve(buffer.subarray(0, size))
    }
    const onClose = () => refuse(incomplete())
    const timer = setTimeout(() => {
      // Close the connection too.
      setResponseHeader(event, 'Connection', 'close')
      refuse(tooSlow(timeoutMs))
    }, timeoutMs)
    request.on('data', onData).on('end', onEnd).on('error', onClose).on('close', onClose)
    response.once('close', release)
  })
}

interface Readers {
  readBody: ReadBody
  bodyLimits: BodyLimits
}

const MULTIPART = 'multipart/form-data'
const URLENCODED = 'application/x-www-form-urlencoded'
const JSON_TYPE = /^(?:application\/(?:[\w.-]+\+)?|text\/)json$/

/** Patterns of JSON sent with a wrong type, by that type: from `sendBeacon`, `mode: 'no-cors'` or jQuery's `data` */
const DISGUISED_JSON: Readonly<Record<string, RegExp>> = {
  '': /^\s*[{[]/,
  'text/plain': /^\s*[{[]/,
  // Browsers write braces as %7B in this type.
  [URLENCODED]: /^\s*\{\s*["}]/,
}

/** Length within which JSON has to start, bytes */
const START_BYTES = 1000

/**
 * Reads the form of a request, from JSON or a plain HTML form. The domain checks that it is an object.
 *
 * @param upload receives its files; null if the form takes none
 * @throws HttpError as `ReadBody`, 415
 * @throws InvalidSubmission if it cannot be parsed
 */
export async function readForm(
  event: H3Event, { readBody: read, bodyLimits }: Readers, maxBytes: number, upload: FormUpload | null,
): Promise<SentForm> {
  const kind = mediaType(event)
  const decode = contentDecoder(event, bodyLimits)
  const htmlForm = (body: unknown) => ({ body, isHtmlForm: true, wantsPage: wantsPage(event) })
  if (kind === MULTIPART && upload) {
    if (decode) throw new HttpError(415, UNSUPPORTED, 'Files must not be compressed: send the form without Content-Encoding.')
    return htmlForm(await (await import('./upload')).readUpload(event, upload, maxBytes, bodyLimits))
  }
  const isJson = JSON_TYPE.test(kind)
  if (!isJson && kind !== MULTIPART && !Object.hasOwn(DISGUISED_JSON, kind)) throw unsupported()
  const sentBytes = await read(event, maxBytes, RAISE_FORM_LIMIT)
  const bytes = decode ? await decode(sentBytes, maxBytes) : sentBytes
  if (kind === MULTIPART) return htmlForm(await (await import('./multipart')).parseMultipart(bytes, contentType(event)))
  if (isJson || DISGUISED_JSON[kind]!.test(bytes.toString('utf8', 0, START_BYTES))) {
    return { body: parseBody(bytes, parseJson), isHtmlForm: false, wantsPage: false }
  }
  if (kind === URLENCODED) return htmlForm(parseUrlencoded(bytes, charsetOf(event)))
  throw unsupported(kind ? 'The body is text that is no JSON. A form with enctype="text/plain" cannot be read.' : undefined)
}

const UNSUPPORTED = 'UNSUPPORTED_MEDIA_TYPE'
const ADVICE = 'Send the form as application/json, application/x-www-form-urlencoded or multipart/form-data; '
  + 'set the Content-Type header.'

function unsupported(reason?: string): HttpError {
  return new HttpError(415, UNSUPPORTED, reason ? `${reason} ${ADVICE}` : ADVICE)
}

const contentType = (event: H3Event) => getRequestHeader(event, 'content-type') ?? ''

/** Returns the charset that the head of the request names. */
const charsetOf = (event: H3Event) => /;\s*charset="?([^\s";]+)/i.exec(contentType(event))?.[1]

/** Returns the media type of the body, without parameters. */
export function mediaType(event: H3Event): string {
  return contentType(event).toLowerCase().split(';')[0]!.trim()
}

/**
 * Reads the JSON of a request from our own pages.
 *
 * @throws HttpError as `ReadBody`
 * @throws InvalidSubmission if it cannot be parsed
 */
export async function readJson(event: H3Event, read: ReadBody, maxBytes: number): Promise<unknown> {
  return parseBody(await read(event, maxBytes), text => JSON.parse(text))
}

function parseBody(bytes: Buffer, parse: (text: string) => unknown): unknown {
  try {
    // Don't use h3's readBody: it drops keys such as `__proto__`, which are data here.
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    if (!isNestedTooDeep(text)) return parse(text)
  }
  catch (error) {
    if (error instanceof RepeatedKey) throw new InvalidSubmission(
      `The JSON repeats a key of an object, at position ${error.at}. Send each key once; use a list for several values.`,
    )
    throw new InvalidSubmission(
      error instanceof SyntaxError
        ? `The body is not valid JSON: ${describeFlaw(error)}.`
        : 'The body is not valid UTF-8.',
    )
  }
  throw new InvalidSubmission(`The JSON is nested more than ${MAX_NESTING} levels deep.`)
}

/** Describes the error in the JSON and its position; the engine's own message would quote the input. */
function describeFlaw({ message }: SyntaxError): string {
  const position = /at position (\d+) \(line \d+ column \d+\)$/.exec(message)?.[1]
  if (position) return `it breaks at position ${position}`
  return message === 'Unexpected end of JSON input'
    ? 'it ends too early'
    : 'something in it is not a JSON value, such as undefined, NaN or text without double quotes'
}

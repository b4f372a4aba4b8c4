import { promisify } from 'node:util'
import { unzip } from 'node:zlib'
import { getRequestHeader, setResponseHeader, type H3Event } from 'h3'
import { InvalidSubmission } from '../../domain/errors'
import { addressGroup, clientAddress, SITE_BITS } from '../request'
import { HttpError } from '../errors'
import { bodyTooLarge, incomplete, RAISE_FORM_LIMIT, type BodyLimits } from './body-memory'

const decompress = promisify(unzip)

/** Encodings that `unzip` tells apart by their first bytes */
const ENCODINGS = ['gzip', 'x-gzip', 'deflate']

/**
 * @throws HttpError 413 if the content is larger than `maxBytes`, 429, 503
 * @throws InvalidSubmission if it is broken
 */
type Decode = (bytes: Buffer, maxBytes: number) => Promise<Buffer>

/**
 * Returns the function that decompresses a form; null if the form has no Content-Encoding.
 *
 * @throws HttpError 415 for an unknown encoding
 */
export function contentDecoder(event: H3Event, limits: BodyLimits): Decode | null {
  const encoding = (getRequestHeader(event, 'content-encoding') ?? '').trim().toLowerCase()
  if (encoding === '' || encoding === 'identity') return null
  if (ENCODINGS.includes(encoding)) return (bytes, maxBytes) => decode(event, limits, bytes, maxBytes)
  // Lists the accepted encodings: https://www.rfc-editor.org/rfc/rfc9110#section-12.5.3
  setResponseHeader(event, 'Accept-Encoding', 'gzip, deflate')
  throw new HttpError(
    415, 'UNSUPPORTED_MEDIA_TYPE', 'The Content-Encoding is unknown. Send the body with gzip or deflate, or without one.',
  )
}

async function decode(
  { node: { req, res } }: H3Event, { memory, trustedProxies }: BodyLimits, bytes: Buffer, maxBytes: number,
): Promise<Buffer> {
  if (res.destroyed) throw incomplete()
  const reservation = memory.open(addressGroup(clientAddress(req, trustedProxies), SITE_BITS))
  res.once('close', () => reservation.release())
  reservation.resize(maxBytes)
  try {
    return await decompress(bytes, { maxOutputLength: maxBytes })
  }
  catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
      ? bodyTooLarge(maxBytes, RAISE_FORM_LIMIT)
      : new InvalidSubmission('The body does not match its Content-Encoding, or is incomplete.')
  }
}

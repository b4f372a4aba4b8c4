import type { IncomingMessage } from 'node:http'
import { getRequestHeader, type H3Event } from 'h3'
import { InvalidSubmission } from '../domain/errors'
import { HttpError } from './errors'

/**
 * Reads the raw body, refusing as soon as it is known to be too long; what still comes in is thrown away by
 * node, not kept.
 *
 * @throws HttpError 413
 */
export async function readBytes(event: H3Event, maxBytes: number): Promise<Buffer<ArrayBuffer>> {
  const tooLarge = () => new HttpError(413, 'BODY_TOO_LARGE', `The body is larger than ${maxBytes} bytes. Send less, or raise MAX_BODY_BYTES.`)
  if (Number(getRequestHeader(event, 'content-length')) > maxBytes) throw tooLarge()
  const request: IncomingMessage = event.node.req
  const chunks: Buffer[] = []
  let size = 0
  return new Promise((resolve, reject) => {
    const onData = (chunk: Buffer) => {
      size += chunk.length
      if (size <= maxBytes) return chunks.push(chunk)
      request.off('data', onData)
      reject(tooLarge())
    }
    request.on('data', onData)
    request.once('end', () => resolve(Buffer.concat(chunks)))
    request.once('error', reject)
    request.once('close', () => {
      if (!request.complete) reject(new HttpError(400, 'BODY_INCOMPLETE', 'The connection closed before the whole body arrived.'))
    })
  })
}

/**
 * The form of a request, from JSON or a plain HTML form. Whether it is an object is the domain's to judge.
 *
 * @throws HttpError 413, 415
 * @throws InvalidSubmission when it cannot be parsed
 */
export async function readForm(event: H3Event, maxBytes: number): Promise<unknown> {
  const contentType = getRequestHeader(event, 'content-type') ?? ''
  const [mediaType = ''] = contentType.toLowerCase().split(';')
  const kind = mediaType.trim()
  if (/^application\/([\w.-]+\+)?json$/.test(kind)) return parseJson(await readBytes(event, maxBytes))
  if (kind === 'application/x-www-form-urlencoded' || kind === 'multipart/form-data') return parseHtmlForm(await readBytes(event, maxBytes), contentType)
  throw new HttpError(415, 'UNSUPPORTED_MEDIA_TYPE', 'Send the form as application/json, application/x-www-form-urlencoded or multipart/form-data; set the Content-Type header.')
}

function parseJson(bytes: Buffer): unknown {
  try {
    // Not h3's readBody: it drops keys such as `__proto__`, which are data here.
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  }
  catch (error) {
    throw new InvalidSubmission(error instanceof SyntaxError ? `The body is not valid JSON: ${position(error)}.` : 'The body is not valid UTF-8.')
  }
}

/** Where the JSON breaks; the engine's own message would repeat what was sent. */
function position({ message }: SyntaxError): string {
  return message.match(/position \d+/)?.[0].replace('position', 'it breaks at position') ?? 'it ends too early'
}

async function parseHtmlForm(bytes: Buffer<ArrayBuffer>, contentType: string): Promise<unknown> {
  const form = await new Response(bytes, { headers: { 'content-type': contentType } }).formData().catch(() => {
    throw new InvalidSubmission('The form cannot be read: its encoding is broken.')
  })
  const fields = new Map<string, string | string[]>()
  for (const [key, value] of form) {
    if (typeof value !== 'string') {
      // A file input that was left empty sends an empty file.
      if (value.size === 0) continue
      throw new HttpError(415, 'FILES_NOT_ACCEPTED', `Files are not accepted; remove the file field ${JSON.stringify(key)}.`)
    }
    const before = fields.get(key)
    fields.set(key, before === undefined ? value : [before, value].flat())
  }
  return Object.fromEntries(fields)
}

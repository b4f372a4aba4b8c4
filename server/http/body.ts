import { getRequestHeader, type H3Event } from 'h3'
import { InvalidSubmission } from '../domain/errors'
import { parseJson, RepeatedKey } from '../domain/json'
import type { ReadBody } from './bodies'
import { HttpError } from './errors'
import { withPlainNames } from './multipart'

/**
 * The form of a request, from JSON or a plain HTML form. Whether it is an object is the domain's to judge.
 *
 * @throws HttpError as `ReadBody`, 415
 * @throws InvalidSubmission when it cannot be parsed
 */
export async function readForm(event: H3Event, read: ReadBody, maxBytes: number): Promise<unknown> {
  const contentType = getRequestHeader(event, 'content-type') ?? ''
  const [mediaType = ''] = contentType.toLowerCase().split(';')
  const kind = mediaType.trim()
  if (/^application\/([\w.-]+\+)?json$/.test(kind)) return parsed(await read(event, maxBytes), parseJson)
  if (kind === 'application/x-www-form-urlencoded' || kind === 'multipart/form-data') return parseHtmlForm(await read(event, maxBytes), contentType)
  throw new HttpError(415, 'UNSUPPORTED_MEDIA_TYPE', 'Send the form as application/json, application/x-www-form-urlencoded or multipart/form-data; set the Content-Type header.')
}

/** The JSON of a request of our own pages. @throws HttpError as `ReadBody` @throws InvalidSubmission when it cannot be parsed */
export async function readJson(event: H3Event, read: ReadBody, maxBytes: number): Promise<unknown> {
  return parsed(await read(event, maxBytes), text => JSON.parse(text))
}

function parsed(bytes: Buffer, parse: (text: string) => unknown): unknown {
  try {
    // Not h3's readBody: it drops keys such as `__proto__`, which are data here.
    return parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  }
  catch (error) {
    if (error instanceof RepeatedKey) throw new InvalidSubmission(`The JSON repeats a key of an object, at position ${error.at}. Send each key once; a list holds several values.`)
    // Deep nesting exhausts the second look at numbers.
    if (error instanceof RangeError) throw new InvalidSubmission('The JSON is nested too deep.')
    throw new InvalidSubmission(error instanceof SyntaxError ? `The body is not valid JSON: ${position(error)}.` : 'The body is not valid UTF-8.')
  }
}

/** Where the JSON breaks; the engine's own message would repeat what was sent. */
function position({ message }: SyntaxError): string {
  return message.match(/position \d+/)?.[0].replace('position', 'it breaks at position') ?? 'it ends too early'
}

async function parseHtmlForm(bytes: Buffer<ArrayBuffer>, contentType: string): Promise<unknown> {
  const form = await new Response(withPlainNames(bytes, contentType), { headers: { 'content-type': contentType } }).formData().catch(() => {
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

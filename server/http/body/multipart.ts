import type { Readable } from 'node:stream'
import { Dicer } from '@fastify/busboy'
import { InvalidSubmission } from '../../domain/errors'
import type { TakeFile } from '../../ports/files'
import { HttpError } from '../errors'

interface MultipartOptions {
  contentType: string
  takeFile: TakeFile
  /** Throws if all fields so far are too large, bytes */
  checkFields?: (bytes: number) => void
  /** Max fields and files */
  maxParts?: number
  /** Max header of a part, bytes */
  maxHeadBytes?: number
}

/** Overhead of a field besides its name and value, bytes */
const FIELD_BYTES = 64

type Headers = Readonly<Record<string, readonly string[] | undefined>>

/**
 * Reads a multipart form part by part: a file that waits for the storage delays everything behind it.
 *
 * @throws InvalidSubmission without a boundary
 */
export function multipartForm({
  contentType, takeFile, checkFields = () => {}, maxParts = Infinity, maxHeadBytes = Infinity,
}: MultipartOptions) {
  const parser = parserOf(contentType, maxHeadBytes)
  const fields = new FormFields()
  const { promise: completion, resolve, reject } = Promise.withResolvers<unknown>()
  const waitingParts = new Set<Readable>()
  let lastRead: Promise<unknown> = Promise.resolve()
  let [partCount, headCount, fieldBytes] = [0, 0, 0]

  const readPart = async (content: Readable, headers: Headers) => {
    const { name, fileName, charset } = headOf(headers)
    if (fileName !== undefined) await takeFile({ field: name, name: fileName, content })
    else {
      const chunks: Buffer[] = []
      checkFields(fieldBytes += Buffer.byteLength(name) + FIELD_BYTES)
      for await (const chunk of content) {
        checkFields(fieldBytes += chunk.length)
        chunks.push(chunk)
      }
      fields.add(name, decodeText(Buffer.concat(chunks), charset))
    }
    waitingParts.delete(content)
    // The parser continues when a part asks for more, but a part that ended within the parsed chunk never asks.
    if (waitingParts.size === 0) content._read(0)
  }

  parser.on('part', (part) => {
    partCount++
    // The parser emits its errors, too.
    part.on('error', () => {})
    part.on('header', (headers: Headers) => {
      if (++headCount > maxParts) {
        return reject(new InvalidSubmission(`The form has more than ${maxParts} fields and files.`))
      }
      waitingParts.add(part)
      lastRead = lastRead.then(() => readPart(part, headers))
      lastRead.catch(reject)
    })
  })
  parser.on('error', () => reject(unreadable()))
  parser.on('finish', () => headCount === partCount ? resolve(lastRead) : reject(unreadable()))
  const allFields = completion.then(() => fields.toObject())
  allFields.catch(() => { /* It was refused for another reason. */ })
  return {
    /** Stream that receives the body */
    parser,
    /** Fields by name, once everything has been read. */
    fields: allFields,
    /** Ends all unread parts with an error, and waits for their reader. */
    stop: async (error: Error) => {
      for (const part of waitingParts) part.destroy(error)
      await lastRead.catch(() => {})
    },
  }
}

/**
 * Reads a multipart form that takes no files.
 *
 * @throws HttpError 415 for a file
 * @throws InvalidSubmission if it cannot be parsed
 */
export async function parseMultipart(body: Buffer, contentType: string): Promise<Record<string, string | string[]>> {
  const { parser, fields } = multipartForm({
    contentType,
    takeFile: async ({ field, content }) => {
      // A file input that was left empty sends an empty file.
      for await (const _ of content) throw new HttpError(
        415, 'FILES_NOT_ACCEPTED', `Files are not accepted; remove the file field ${JSON.stringify(field)}.`,
      )
    },
  })
  parser.end(body)
  return fields
}

const unreadable = () => new InvalidSubmission('The form cannot be read: its encoding is broken.')

function parserOf(contentType: string, maxHeaderSize: number): Dicer {
  const boundary = parametersOf(contentType)?.get('boundary')
  // With `partHwm: 1`, a waiting part stops the parser after its first byte, however small the parts are.
  const options = { boundary, maxHeaderSize, partHwm: 1 }
  try {
    if (boundary) return new Dicer(options)
  }
  catch { /* It is too long. */ }
  throw unreadable()
}

/** Reads the head of a part. A part without a name has the name ''. */
function headOf({ 'content-disposition': [disposition = ''] = [], 'content-type': [type = ''] = [] }: Headers) {
  const parameters = /^form-data\b/i.test(disposition) && parametersOf(disposition)
  if (!parameters) throw unreadable()
  return {
    name: parameters.get('name') ?? '', fileName: parameters.get('filename'),
    charset: parametersOf(type)?.get('charset'),
  }
}

/**
 * Parameters of a header. Browsers and recent versions of curl write a quote as `%22`, and a backslash as it is
 * (https://html.spec.whatwg.org/#multipart-form-data).
 */
const PLAIN_PARAMETER = /;\s*([\w-]+)(\*?)=(?:"([^"]*)"|([^\s;"]*))\s*/gy
/** Older versions of curl, and its --form-escape, write `\"` and `\\`. */
const ESCAPED_PARAMETER = /;\s*([\w-]+)(\*?)=(?:"((?:\\.|[^"\\])*)"|([^\s;"]*))\s*/gy

/** Tries the plain form first: `name="C:\"` ends at that quote. Null if neither matches the whole header. */
function parametersOf(header: string): Map<string, string> | null {
  const text = header.replace(/^[^;]*/, '')
  for (const pattern of [PLAIN_PARAMETER, ESCAPED_PARAMETER]) {
    const matches = [...text.matchAll(pattern)]
    const end = matches.reduce((length, [whole]) => length + whole.length, 0)
    if (end < text.length && text.slice(end).trim() !== ';') continue
    return new Map(matches.map(([, name, extensionMark, quoted, token]) => {
      const isEscaped = pattern === ESCAPED_PARAMETER
      const value = quoted === undefined ? token! : isEscaped ? quoted.replaceAll(/\\(.)/g, '$1') : quoted
      return [name!.toLowerCase(), extensionMark ? decodeExtended(value) : decodeCodes(value, /%(22|0A|0D)/gi)]
    }))
  }
  return null
}

/** A value with its charset: https://www.rfc-editor.org/rfc/rfc8187#section-3.2.1 */
function decodeExtended(value: string): string {
  const [, charset, text] = /^([^']*)'[^']*'(.*)$/.exec(value) ?? [undefined, undefined, value]
  return decodeCodes(text!, /%([\da-f]{2})/gi, charset)
}

/** @param text one character per byte */
function decodeCodes(text: string, codes: RegExp, charset?: string): string {
  const bytes = text.replaceAll(codes, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
  return decodeText(Buffer.from(bytes, 'latin1'), charset)
}

/** Decodes text, as UTF-8 if the charset is unknown. */
function decodeText(bytes: Buffer, charset = 'utf-8'): string {
  try {
    return new TextDecoder(charset).decode(bytes)
  }
  catch {
    return new TextDecoder().decode(bytes)
  }
}

/** Collects the fields of an HTML form; several values of one name become a list */
export class FormFields {
  private readonly values = new Map<string, string[]>()

  add(name: string, value: string): void {
    const values = this.values.get(name)
    // Append in place: copying the list for each of 50,000 values takes seconds.
    if (values) values.push(value)
    else this.values.set(name, [value])
  }

  toObject(): Record<string, string | string[]> {
    return Object.fromEntries(
      [...this.values].map(([name, values]) => [name, values.length === 1 ? values[0]! : values]),
    )
  }
}

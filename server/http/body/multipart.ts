import type { Readable } from 'node:stream'
import { Dicer } from '@fastify/busboy'
import { InvalidSubmission } from '../../domain/errors'
import type { TakeFile } from '../../ports/files'
import { HttpError } from '../errors'
import { decodePercent, decodeText } from './charset'
import { FormFields } from './form-fields'
import { SelfDescribedParser } from './self-described'
import { decodeTransfer } from './transfer-encoding'

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

/** Reads a multipart form part by part: a file that waits for the storage delays everything behind it. */
export function multipartForm({
  contentType, takeFile, checkFields = () => {}, maxParts = Infinity, maxHeadBytes = Infinity,
}: MultipartOptions) {
  const parameters = parametersOf(contentType)
  const [boundary, formCharset] = [parameters?.get('boundary'), parameters?.get('charset')]
  const parser = parserOf(boundary, maxHeadBytes)
  const unreadable = () => new InvalidSubmission(boundary ? BROKEN : NO_BOUNDARY)
  const fields = new FormFields()
  const { promise: completion, resolve, reject } = Promise.withResolvers<unknown>()
  const waitingParts = new Set<Readable>()
  let lastRead: Promise<unknown> = Promise.resolve()
  let [partCount, headCount, fieldBytes] = [0, 0, 0]

  const readPart = async (content: Readable, headers: Headers) => {
    const { name, fileName, charset, encoding } = headOf(headers)
    const decodedContent = decodeTransfer(content, encoding)
    if (fileName !== undefined) {
      const [field, fileText] = [name, fileName].map(bytes => decodeText(bytes, formCharset))
      await takeFile({ field: field!, name: fileText!, content: decodedContent })
    }
    else {
      const chunks: Buffer[] = []
      checkFields(fieldBytes += name.length + FIELD_BYTES)
      for await (const chunk of decodedContent) {
        checkFields(fieldBytes += chunk.length)
        chunks.push(chunk)
      }
      fields.add(name, Buffer.concat(chunks).toString('latin1'), charset)
    }
    waitingParts.delete(content)
    // The parser waits until a part asks for more data, but a part that ended within the parsed chunk never asks.
    if (waitingParts.size === 0) content._read(0)
  }

  parser.on('part', (part) => {
    partCount++
    // The parser also emits the errors of its parts.
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
  const allFields = completion.then(() => fields.toObject(formCharset))
  allFields.catch(() => { /* The form was refused for another reason. */ })
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

const BROKEN = 'The form cannot be read: its encoding is broken.'
const NO_BOUNDARY = 'The form cannot be read: its Content-Type names no boundary, and its first line is none. '
  + 'Do not set the header: the browser or library that writes the body does.'

function parserOf(boundary: string | undefined, maxHeaderSize: number): Dicer {
  // With `partHwm: 1`, a waiting part stops the parser after its first byte, however small the parts are.
  const options = { boundary, maxHeaderSize, partHwm: 1 }
  if (!boundary) return new SelfDescribedParser(options)
  try {
    return new Dicer(options)
  }
  catch { /* It is too long. */ }
  throw new InvalidSubmission(BROKEN)
}

/** Reads the head of a part, with a character per byte. A part without a name has the name ''. */
function headOf({
  'content-disposition': [disposition = ''] = [], 'content-type': [type = ''] = [],
  'content-transfer-encoding': [encoding = ''] = [],
}: Headers) {
  const parameters = /^form-data\b/i.test(disposition) && parametersOf(disposition)
  if (!parameters) throw new InvalidSubmission(BROKEN)
  return {
    name: parameters.get('name') ?? '', fileName: parameters.get('filename'),
    charset: parametersOf(type)?.get('charset'), encoding: encoding.trim().toLowerCase(),
  }
}

/**
 * Parameters of a header. Browsers and recent versions of curl write a quote as `%22`, and a backslash as it is
 * (https://html.spec.whatwg.org/#multipart-form-data).
 */
const PLAIN_PARAMETER = /;\s*([\w-]+)(\*?)=(?:"([^"]*)"|([^\s;"]*))\s*/gy
/** Older versions of curl, and its --form-escape, write `\"` and `\\`. */
const ESCAPED_PARAMETER = /;\s*([\w-]+)(\*?)=(?:"((?:\\.|[^"\\])*)"|([^\s;"]*))\s*/gy

/**
 * Returns values with a character per byte. Tries the plain syntax first, in which `name="C:\"` ends at the second
 * quote. Returns null if neither syntax matches the whole header.
 */
function parametersOf(header: string): Map<string, string> | null {
  const text = header.replace(/^[^;]*/, '')
  for (const pattern of [PLAIN_PARAMETER, ESCAPED_PARAMETER]) {
    const matches = [...text.matchAll(pattern)]
    const end = matches.reduce((length, [whole]) => length + whole.length, 0)
    if (end < text.length && text.slice(end).trim() !== ';') continue
    return new Map(matches.map(([, name, extensionMark, quoted, token]) => {
      const isEscaped = pattern === ESCAPED_PARAMETER
      const value = quoted === undefined ? token! : isEscaped ? quoted.replaceAll(/\\(.)/g, '$1') : quoted
      return [name!.toLowerCase(), extensionMark ? decodeExtended(value) : decodePercent(value, /%(22|0A|0D)/gi)]
    }))
  }
  return null
}

/** Decodes a value that names its charset, in UTF-8: https://www.rfc-editor.org/rfc/rfc8187#section-3.2.1 */
function decodeExtended(value: string): string {
  const [, charset, text] = /^([^']*)'[^']*'(.*)$/.exec(value) ?? [undefined, undefined, value]
  return Buffer.from(decodeText(decodePercent(text!), charset)).toString('latin1')
}

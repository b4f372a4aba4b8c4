import { InvalidSubmission } from '../../domain/errors'
import { HttpError } from '../errors'
import { decodePercent } from './charset'

interface Encoding {
  /** Returns the length of the text that can be decoded without the next chunk; one character per byte */
  completeLength: (text: string) => number
  decode: (text: string) => Buffer
}

/** Encodings of parts: https://www.rfc-editor.org/rfc/rfc2045#section-6 */
const ENCODINGS: Readonly<Record<string, Encoding>> = {
  'base64': {
    completeLength: text => text.length - text.length % 4,
    decode: (text) => {
      if (/[^\w+/=-]/.test(text)) throw new InvalidSubmission('A part of the form is marked as base64, but its content is not base64.')
      return Buffer.from(text, 'base64')
    },
  },
  'quoted-printable': {
    completeLength: (text) => {
      const start = text.lastIndexOf('=')
      return start >= 0 && start > text.length - '=0A'.length ? start : text.length
    },
    decode: text => Buffer.from(
      decodePercent(text.replaceAll(/=\r?\n/g, ''), /=([\da-f]{2})/gi), 'latin1',
    ),
  },
}

/** Encodings that leave bytes as they are */
const PLAIN = ['', '7bit', '8bit', 'binary']

/**
 * Decodes the content of a part, chunk by chunk.
 *
 * @throws HttpError 415 for an unknown encoding
 * @throws InvalidSubmission while it is read, if it cannot be decoded
 */
export function decodeTransfer(content: AsyncIterable<Buffer>, name: string): AsyncIterable<Buffer> {
  if (PLAIN.includes(name)) return content
  if (Object.hasOwn(ENCODINGS, name)) return decodeChunks(content, ENCODINGS[name]!, name === 'base64')
  throw new HttpError(
    415, 'UNSUPPORTED_MEDIA_TYPE',
    'A part of the form has an unknown Content-Transfer-Encoding. Send its bytes as they are, without this header.',
  )
}

async function* decodeChunks(content: AsyncIterable<Buffer>, { completeLength, decode }: Encoding, isWrapped: boolean) {
  let rest = ''
  for await (const chunk of content) {
    const addition = chunk.toString('latin1')
    const text = rest + (isWrapped ? addition.replaceAll(/\s/g, '') : addition)
    const length = completeLength(text)
    rest = text.slice(length)
    if (length > 0) yield decode(text.slice(0, length))
  }
  if (rest !== '') yield decode(rest)
}

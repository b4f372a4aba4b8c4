import { isUtf8 } from 'node:buffer'

/** Characters of the bytes 80 to 9F in Windows-1252 (https://encoding.spec.whatwg.org/index-windows-1252.txt) */
const WINDOWS_1252 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008DŽ\u008F\u0090‘’“”•–—˜™š›œ\u009DžŸ'

/**
 * Decodes text. If the charset is unknown or UTF-8, text that is not valid UTF-8 is read as Windows-1252: browsers
 * assume that charset on pages that name none.
 *
 * @param bytes one character per byte
 */
export function decodeText(bytes: string, charset?: string): string {
  const decoder = charset === undefined ? undefined : decoderOf(charset)
  if (decoder === undefined && !/[\u0080-\u00FF]/.test(bytes)) return bytes
  const buffer = Buffer.from(bytes, 'latin1')
  if (decoder && decoder.encoding !== 'windows-1252') return decoder.decode(buffer)
  if (!decoder && isUtf8(buffer)) return new TextDecoder().decode(buffer)
  // Node 22.13 and several later versions decode it as Latin 1: https://github.com/nodejs/node/issues/56542
  return bytes.replaceAll(/[\u0080-\u009F]/g, character => WINDOWS_1252[character.charCodeAt(0) - 0x80]!)
}

/** Returns the charset if a form can be encoded in it: it must contain ASCII, unlike UTF-16. */
export function formCharset(charset: string | undefined): string | undefined {
  return charset !== undefined && decoderOf(charset)?.decode(Buffer.from('Az09')) === 'Az09' ? charset : undefined
}

/** Max length of a charset name to look up, characters */
const MAX_NAME = 40

const decoders = new Map<string, TextDecoder>()

/** Returns undefined for UTF-8, for unknown names, and for `x-user-defined`: its characters have no meaning. */
function decoderOf(charset: string): TextDecoder | undefined {
  const name = charset.slice(0, MAX_NAME).trim().toLowerCase()
  const knownDecoder = decoders.get(name)
  if (knownDecoder) return knownDecoder
  try {
    const decoder = new TextDecoder(name)
    if (decoder.encoding === 'utf-8' || decoder.encoding === 'x-user-defined') return undefined
    decoders.set(name, decoder)
    return decoder
  }
  catch {
    return undefined
  }
}

/** @param bytes one character per byte */
export function decodePercent(bytes: string, codes = /%([\da-f]{2})/gi): string {
  return bytes.replaceAll(codes, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
}

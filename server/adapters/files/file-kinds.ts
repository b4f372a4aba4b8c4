import type { FileKind } from '../../ports/files'

/** Byte order marks of UTF-16. */
const BYTE_ORDER_MARKS: Readonly<Record<string, string>> = { fffe: 'utf-16le', feff: 'utf-16be' }

/** First bytes of TIFF. The rest of its structure may be at the file's end, beyond the part that `file-type` reads. */
const TIFF = ['49492a00', '4d4d002a']

/**
 * Extensions of a type in addition to those in `mime`. Text gets no extension that a program would run or a browser
 * would show as a page. XML and ZIP also get the extensions of documents that `file-type` may mistake for them.
 */
const MORE_EXTENSIONS: Readonly<Record<string, string>> = {
  'text/plain': 'csv tsv md markdown json jsonl yaml yml toml srt tex',
  'application/xml': 'svg gpx kml', 'application/zip': 'docx xlsx pptx odt ods odp epub',
  'application/x-cfb': 'doc dot xls xlt ppt pps msg vsd', 'application/gzip': 'tgz',
  'video/x-ms-asf': 'wmv', 'audio/x-ms-asf': 'wma',
}

/** Returns null for an unknown kind. */
export async function kindOf(head: Uint8Array): Promise<FileKind | null> {
  const { fileTypeFromBuffer } = await import('file-type')
  const fileType = await fileTypeFromBuffer(head).catch(() => undefined)
  if (fileType) return { type: fileType.mime, extension: fileType.ext }
  if (TIFF.includes(hexOf(head, 4))) return { type: 'image/tiff', extension: 'tif' }
  return isText(head) ? { type: 'text/plain', extension: 'txt' } : null
}

/**
 * Returns the name unchanged if its extension fits the content, because programs open a file by its extension.
 * Otherwise adds the extension of the content, which replaces an extension known for another type.
 */
export async function nameWithExtension(name: string, { type, extension }: FileKind): Promise<string> {
  const { default: mime } = await import('mime')
  const [, base = name, ownExtension = ''] = /^(.+)\.([^.\s]+)[. ]*$/.exec(name) ?? []
  const fittingExtensions = [
    extension, ...mime.getAllExtensions(type) ?? [], ...MORE_EXTENSIONS[type]?.split(' ') ?? [],
  ]
  if (fittingExtensions.includes(ownExtension.toLowerCase()) && name.endsWith(ownExtension)) return name
  return `${mime.getType(ownExtension) === null ? /^.*[^. ]/.exec(name)?.[0] ?? name : base}.${extension}`
}

/**
 * True if the bytes may be text without control characters: UTF-16 with its byte order mark, as Notepad writes it, or
 * UTF-8 or Windows-1252, as Excel writes it.
 */
function isText(head: Uint8Array): boolean {
  const encoding = BYTE_ORDER_MARKS[hexOf(head, 2)] ?? 'windows-1252'
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(head, { stream: true })
    // eslint-disable-next-line no-control-regex
    return !/[\u0000-\u0008\u000E-\u001A\u001C-\u001F\u007F]/.test(text)
  }
  catch {
    return false
  }
}

function hexOf(head: Uint8Array, bytes: number): string {
  return Buffer.from(head.subarray(0, bytes)).toString('hex')
}

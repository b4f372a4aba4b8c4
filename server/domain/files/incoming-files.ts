import { createHash } from 'node:crypto'
import { beginning, counted, oneLine } from '../../../shared/utils/text'
import { HEAD_BYTES, type FileRule, type FileStore, type IncomingFile, type StoredFile } from '../../ports/files'
import type { Limiter } from '../../ports/limiter'
import {
  DomainError, FilesTooLarge, FilesUnavailable, FileTypeRefused, StoreUnavailable, TooManyBytes,
} from '../errors'
import { megabytes } from './file-texts'

const MAX_NAME = 150

/** Types that no wildcard includes: a browser would run the scripts in them. */
const EXCLUDED_TYPES = /^image\/svg/

/** Files of one incoming form, stored under the id that its submission will have */
export class IncomingFiles {
  readonly files: StoredFile[] = []
  private hasBegun = false

  /** @param limiter counts MB; null for no limit */
  constructor(
    readonly id: string, readonly rule: FileRule, private readonly client: string,
    private readonly store: FileStore, private readonly limiter: Limiter | null,
  ) {}

  /** @throws TooManyBytes if the client is over its limit, StoreUnavailable if the store does not answer */
  readonly count = async (bytes: number): Promise<void> => {
    const { limiter } = this
    if (!limiter) return
    const waitMs = await limiter.take(`files:${this.client}`, Math.ceil(bytes / 2 ** 20)).catch((error) => {
      throw new StoreUnavailable(error)
    })
    if (waitMs > 0) throw new TooManyBytes(limiter.limit, 'files', 'FILES_RATE_LIMIT', waitMs)
  }

  /** @throws FilesTooLarge, FileTypeRefused; FilesUnavailable if the file cannot be stored */
  readonly take = async ({ field, name, content }: IncomingFile): Promise<void> => {
    const { head, whole } = await peek(content)
    // A file input that was left empty sends an empty file.
    if (head.length === 0) return
    const { max, maxBytes, types } = this.rule
    const quotedName = JSON.stringify(nameOf(name))
    if (this.files.length >= max) throw new FilesTooLarge(
      `There are too many files: send at most ${counted(max, 'file')}.`,
    )
    const kind = await this.store.kindOf(head)
    const type = kind && types.find(each => isCovered(each, kind.type))
    if (!type) throw new FileTypeRefused(
      `The file ${quotedName} is ${kind ? `${kind.type} by its content` : 'of an unknown type'}. Send one of ${types.join(', ')}.`,
    )
    const hash = createHash('sha256')
    let size = 0
    async function* measure() {
      for await (const chunk of whole) {
        size += chunk.length
        if (size > maxBytes) throw new FilesTooLarge(
          `The file ${quotedName} is larger than ${megabytes(maxBytes)}. Send a smaller one.`,
        )
        hash.update(chunk)
        yield chunk
      }
    }
    this.hasBegun = true
    await this.store.write(this.id, this.files.length, measure()).catch((error) => {
      throw error instanceof DomainError ? error : new FilesUnavailable(error)
    })
    this.files.push({
      field, name: await this.store.nameOf(nameOf(name), kind), type: type.endsWith('/*') ? kind.type : type, size,
      sha256: hash.digest('hex'),
    })
  }

  /** Deletes the stored files, because the form was not stored. The sweep deletes any that remain. */
  async discard(): Promise<void> {
    if (this.hasBegun) await this.store.erase(this.id).catch(() => {})
  }
}

/** True if a type in the form's rule includes the detected type. CSV files are detected as plain text. */
function isCovered(listedType: string, detectedType: string): boolean {
  if (listedType.endsWith('/*')) {
    return detectedType.startsWith(listedType.slice(0, -1)) && !EXCLUDED_TYPES.test(detectedType)
  }
  return listedType === detectedType || (listedType === 'text/csv' && detectedType === 'text/plain')
}

/** Returns the first bytes, and the whole content. */
async function peek(content: AsyncIterable<Uint8Array>) {
  const iterator = content[Symbol.asyncIterator]()
  const headChunks: Uint8Array[] = []
  for (let bytes = 0; bytes < HEAD_BYTES;) {
    const { done, value } = await iterator.next()
    if (done) break
    headChunks.push(value)
    bytes += value.length
  }
  async function* readWhole() {
    yield* headChunks
    for (let result = await iterator.next(); !result.done; result = await iterator.next()) yield result.value
  }
  return { head: Buffer.concat(headChunks).subarray(0, HEAD_BYTES), whole: readWhole() }
}

/** File name for people: one line, without the path that some browsers and programs send. */
function nameOf(rawName: string): string {
  const name = oneLine(rawName.toWellFormed()).split(/[/\\]/).at(-1)!.trim()
  const dot = name.lastIndexOf('.')
  const extension = dot > 0 && name.length - dot <= 10 ? name.slice(dot) : ''
  const shortName = name.length > MAX_NAME ? `${beginning(name, MAX_NAME - extension.length - 1)}…${extension}` : name
  return /^\.*$/.test(shortName) ? 'file' : shortName
}

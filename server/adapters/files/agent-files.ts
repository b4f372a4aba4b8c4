import { Files, FilesError, type FilesOperation, type FilesPlugin, type ListResult } from 'files-sdk'
import { HEAD_BYTES } from '../../ports/files'
import { kindOf, nameWithExtension } from './file-kinds'
import { FORM_FILES, openAdapter, STORAGE_TIMEOUT_MS, type FilesStorage } from './storage'

export interface FilesStoreOptions {
  storage: FilesStorage
  /** Folder of the `disk` storage. */
  dir: string
  /** `private` never gives out the URL of a file. */
  access: 'public' | 'private'
  /** Largest file that is stored, bytes. */
  maxBytes: number
}

/** Longest key, characters. S3 allows 1,024 bytes, a file system 255 in each segment. */
const KEY_LENGTH = 250

/** Longest validity of an upload URL, seconds: an hour. */
const UPLOAD_URL_LIFE_S = 3600

/** Opens the agent's files. Every operation passes the same checks of key, size and access, whoever starts it. */
export async function openFiles(options: FilesStoreOptions): Promise<Files> {
  const { adapter, plugins } = await openAdapter(options)
  return new Files({ adapter, plugins: [createChecks(options), ...plugins], timeout: STORAGE_TIMEOUT_MS })
}

function createChecks({ storage, access, maxBytes }: FilesStoreOptions): FilesPlugin {
  const check = async (operation: FilesOperation): Promise<FilesOperation> => {
    keysOf(operation).forEach(checkKey)
    switch (operation.kind) {
      case 'upload': {
        const bytes = sizeOf(operation.body)
        if (bytes > maxBytes) {
          throw createRefusal(`The file has ${bytes} bytes; at most ${maxBytes} are stored (FILES_MAX_BYTES).`)
        }
        await checkExtension(operation.key, operation.body as UploadBody)
        return operation
      }
      case 'url':
        if (storage.kind === 'disk') throw createRefusal('Files on this server have no URL. Use downloadFile.')
        if (access === 'private') {
          throw createRefusal('The files are private, so they have no permanent URL. Use downloadFile.')
        }
        return operation
      case 'signedUploadUrl': {
        if (storage.kind === 'disk') {
          throw createRefusal('Files on this server cannot be uploaded by URL. Use uploadFile.')
        }
        const { expiresIn = UPLOAD_URL_LIFE_S, maxSize, ...otherOptions } = operation.options ?? {}
        // S3 cannot limit the size of a PUT: it refuses a requested limit, and has no limit by default.
        const sizeLimit = storage.kind === 's3' ? maxSize : Math.min(maxSize ?? maxBytes, maxBytes)
        return {
          ...operation,
          options: { ...otherOptions, expiresIn: Math.min(expiresIn, UPLOAD_URL_LIFE_S), maxSize: sizeLimit },
        }
      }
      default: return operation
    }
  }
  return {
    name: 'checks',
    wrap: async (operation, next) => {
      const checkedOperation = await check(operation) as typeof operation
      if (checkedOperation.kind !== 'list') return next(checkedOperation)
      let page = await next(checkedOperation) as ListResult
      // Skip pages that contain only files of forms. An empty page would look as if there were no files.
      while (page.cursor && withoutFormFiles(page).items.length === 0) {
        const options = { ...checkedOperation.options, cursor: page.cursor }
        page = await next({ ...checkedOperation, options } as typeof operation) as ListResult
      }
      return withoutFormFiles(page) as never
    },
  }
}

/** Leaves out the files of forms, which share the storage but are not the agent's. */
function withoutFormFiles(page: ListResult): ListResult {
  return { ...page, items: page.items.filter(({ key }) => !key.startsWith(`${FORM_FILES}/`)) }
}

function keysOf(operation: FilesOperation): string[] {
  switch (operation.kind) {
    case 'list': return operation.options?.prefix ? [operation.options.prefix.replace(/\/$/, '')] : []
    case 'copy': case 'move': return [operation.from, operation.to]
    default: return [operation.key]
  }
}

/**
 * Checks that a key is a relative path that means the same in every storage: no `.` or `..`, no leading slash, no URL
 * (Vercel Blob would take it for a blob of another store), and no character that ends a path in a URL or is decoded
 * there.
 */
function checkKey(key: string): void {
  const segments = key.split('/')
  const isPath = segments.every(segment => segment !== '' && segment !== '.' && segment !== '..')
  if (segments[0]!.toLowerCase() === FORM_FILES) throw createRefusal(
    `The folder ${FORM_FILES} belongs to the forms. Use another one.`,
  )
  if (!isPath || key.length > KEY_LENGTH || !key.isWellFormed() || /[\\?#%\p{Cc}]/u.test(key)) {
    throw createRefusal(
      `${JSON.stringify(key.slice(0, 100))} is not a key. Use a relative path such as reports/2026-11.json, of at most ${KEY_LENGTH} characters, without "..", "\\", "?", "#" or "%".`,
    )
  }
}

/** Body of an upload of known size. A stream has no known size. */
type UploadBody = string | Blob | ArrayBuffer | ArrayBufferView<ArrayBuffer>

/** Rejects an extension of another type. Text may have any extension: people see the text before they approve. */
async function checkExtension(key: string, body: UploadBody): Promise<void> {
  const kind = await kindOf(new Uint8Array(await new Blob([body]).slice(0, HEAD_BYTES).arrayBuffer()))
  if (!kind || kind.type === 'text/plain') return
  const fittingKey = await nameWithExtension(key, kind)
  if (fittingKey !== key && fittingKey !== `${key}.${kind.extension}`) {
    throw createRefusal(
      `The content is ${kind.type}, which the key does not say. Use the key ${JSON.stringify(fittingKey)}.`,
    )
  }
}

/** Returns the size in bytes. A stream, whose size is unknown, counts as too large. */
function sizeOf(body: unknown): number {
  if (typeof body === 'string') return Buffer.byteLength(body)
  if (body instanceof Blob) return body.size
  return body instanceof ArrayBuffer || ArrayBuffer.isView(body) ? body.byteLength : Infinity
}

function createRefusal(message: string): FilesError {
  return new FilesError('Provider', message, undefined, { permanent: true })
}

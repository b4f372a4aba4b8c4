import { Files, FilesError, type Adapter, type FilesOperation, type FilesPlugin } from 'files-sdk'

/** Where the agent's files are. */
export type FilesStorage
  = | { kind: 'disk' }
    | { kind: 'blob', token: string }
    | { kind: 's3', endpoint: string, bucket: string, region?: string, accessKeyId: string, secretAccessKey: string }

export interface FilesStoreOptions {
  storage: FilesStorage
  /** Folder of the `disk` storage. */
  dir: string
  /** `private`: no URL of a file is ever given out. */
  access: 'public' | 'private'
  /** Largest file that is stored, in bytes. */
  maxBytes: number
}

/** Longest key. S3 allows 1,024 bytes, a file system 255 in each segment. */
const KEY_LENGTH = 250

/** An upload URL is valid for an hour at most, in seconds. */
const UPLOAD_URL_LIFE_S = 3600

/** An operation of the vendor's may take so long, ms. */
const TIMEOUT_MS = 15_000

/** The agent's files. Every operation, whoever starts it, passes the same checks of key, size and access. */
export async function openFiles(options: FilesStoreOptions): Promise<Files> {
  const { adapter, plugins } = await openAdapter(options)
  return new Files({ adapter, plugins: [checks(options), ...plugins], timeout: TIMEOUT_MS })
}

async function openAdapter({ storage, dir, access }: FilesStoreOptions): Promise<{
  adapter: Adapter
  plugins: FilesPlugin[]
}> {
  switch (storage.kind) {
    case 'disk': return { adapter: (await import('files-sdk/fs')).fs({ root: dir }), plugins: [] }
    case 'blob': {
      const [{ vercelBlob }, errors] = await Promise.all([import('files-sdk/vercel-blob'), import('@vercel/blob')])
      return { adapter: vercelBlob({ token: storage.token, access }), plugins: [blobErrors(errors)] }
    }
    // By path, not by host name: every service takes it, and MinIO takes nothing else.
    case 's3': return {
      adapter: (await import('files-sdk/s3-fetch')).s3Fetch({ ...storage, forcePathStyle: true }), plugins: [],
    }
  }
}

/** Files SDK tells the errors of Vercel Blob apart by their names, which all are `Error`. */
function blobErrors({ BlobNotFoundError, BlobAccessError }: typeof import('@vercel/blob')): FilesPlugin {
  return {
    name: 'blob-errors',
    wrap: (operation, next) => next(operation).catch((error: Error) => {
      if (error.cause instanceof BlobNotFoundError) throw new FilesError('NotFound', error.message, error.cause)
      if (error.cause instanceof BlobAccessError) throw new FilesError('Unauthorized', error.message, error.cause)
      throw error
    }),
  }
}

function checks({ storage, access, maxBytes }: FilesStoreOptions): FilesPlugin {
  const check = async (operation: FilesOperation): Promise<FilesOperation> => {
    keysOf(operation).forEach(checkKey)
    switch (operation.kind) {
      case 'upload': {
        const bytes = sizeOf(operation.body)
        if (bytes > maxBytes) {
          throw refused(`The file has ${bytes} bytes; at most ${maxBytes} are stored (FILES_MAX_BYTES).`)
        }
        return operation
      }
      case 'url':
        if (storage.kind === 'disk') throw refused('Files on this server have no URL. Use downloadFile.')
        if (access === 'private') {
          throw refused('The files are private, so they have no permanent URL. Use downloadFile.')
        }
        return operation
      case 'signedUploadUrl': {
        if (storage.kind === 'disk') throw refused('Files on this server cannot be uploaded by URL. Use uploadFile.')
        const { expiresIn = UPLOAD_URL_LIFE_S, maxSize, ...others } = operation.options ?? {}
        // S3 cannot bound the size of a PUT: it refuses a bound that is asked for, and has none by default.
        const bound = storage.kind === 's3' ? maxSize : Math.min(maxSize ?? maxBytes, maxBytes)
        return {
          ...operation, options: { ...others, expiresIn: Math.min(expiresIn, UPLOAD_URL_LIFE_S), maxSize: bound },
        }
      }
      default: return operation
    }
  }
  return { name: 'checks', wrap: async (operation, next) => next(await check(operation) as typeof operation) }
}

function keysOf(operation: FilesOperation): string[] {
  switch (operation.kind) {
    case 'list': return operation.options?.prefix ? [operation.options.prefix.replace(/\/$/, '')] : []
    case 'copy': case 'move': return [operation.from, operation.to]
    default: return [operation.key]
  }
}

/**
 * A key is a relative path that means the same to every storage: no way up, no root, no URL (Vercel Blob would take one
 * for a blob of another store), nothing that ends a path in a URL or is decoded there.
 */
function checkKey(key: string): void {
  const isPath = key.split('/').every(segment => segment !== '' && segment !== '.' && segment !== '..')
  if (!isPath || key.length > KEY_LENGTH || !key.isWellFormed() || /[\\?#%\p{Cc}]/u.test(key)) {
    throw refused(
      `${JSON.stringify(key.slice(0, 100))} is not a key. Use a relative path such as reports/2026-11.json, of at most ${KEY_LENGTH} characters, without "..", "\\", "?", "#" or "%".`,
    )
  }
}

/** Bytes; a stream, whose size nobody knows, is too large. */
function sizeOf(body: unknown): number {
  if (typeof body === 'string') return Buffer.byteLength(body)
  if (body instanceof Blob) return body.size
  return body instanceof ArrayBuffer || ArrayBuffer.isView(body) ? body.byteLength : Infinity
}

function refused(message: string): FilesError {
  return new FilesError('Provider', message, undefined, { permanent: true })
}

import type { Adapter, FilesPlugin } from 'files-sdk'

export type FilesStorage
  = | { kind: 'disk' }
    | { kind: 'blob', token: string }
    | { kind: 's3', endpoint: string, bucket: string, region?: string, accessKeyId: string, secretAccessKey: string }

/** Timeout of an operation of the storage's vendor, ms. */
export const STORAGE_TIMEOUT_MS = 15_000

/** Folder for the files of forms, which nothing else uses. */
export const FORM_FILES = 'form-files'

export async function openAdapter(
  { storage, dir, access }: { storage: FilesStorage, dir: string, access: 'public' | 'private' },
): Promise<{
  adapter: Adapter
  plugins: FilesPlugin[]
}> {
  switch (storage.kind) {
    case 'disk': return { adapter: (await import('files-sdk/fs')).fs({ root: dir }), plugins: [] }
    case 'blob': {
      const [{ vercelBlob }, vendors, { FilesError }] = await Promise.all([
        import('files-sdk/vercel-blob'), import('@vercel/blob'), import('files-sdk'),
      ])
      return { adapter: vercelBlob({ token: storage.token, access }), plugins: [blobErrors(vendors, FilesError)] }
    }
    // Address buckets by path, not by host name: every service supports it, and MinIO supports nothing else.
    case 's3': return {
      adapter: (await import('files-sdk/s3-fetch')).s3Fetch({ ...storage, forcePathStyle: true }), plugins: [],
    }
  }
}

/** Recognises errors of Vercel Blob. Files SDK tells them apart by name, but they are all named `Error`. */
function blobErrors(
  { BlobNotFoundError, BlobAccessError }: typeof import('@vercel/blob'),
  FilesError: typeof import('files-sdk').FilesError,
): FilesPlugin {
  return {
    name: 'blob-errors',
    wrap: (operation, next) => next(operation).catch((error: Error) => {
      if (error.cause instanceof BlobNotFoundError) throw new FilesError('NotFound', error.message, error.cause)
      if (error.cause instanceof BlobAccessError) throw new FilesError('Unauthorized', error.message, error.cause)
      throw error
    }),
  }
}

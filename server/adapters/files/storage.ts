import type { Adapter, FilesPlugin } from 'files-sdk'

export type FilesStorage
  = | { kind: 'disk' }
    | { kind: 'blob', token: string }
    | { kind: 's3', endpoint: string, bucket: string, region?: string, accessKeyId: string, secretAccessKey: string }

/** An operation of the vendor's may take so long, ms. */
export const STORAGE_TIMEOUT_MS = 15_000

/** Folder of what came with forms, which nothing else touches. */
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
    // By path, not by host name: every service takes it, and MinIO takes nothing else.
    case 's3': return {
      adapter: (await import('files-sdk/s3-fetch')).s3Fetch({ ...storage, forcePathStyle: true }), plugins: [],
    }
  }
}

/** Files SDK tells the errors of Vercel Blob apart by their names, which all are `Error`. */
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

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createEmulator } from 'emulate'
import { beforeAll, vi } from 'vitest'
import type { FilesStorage } from '../../server/adapters/files/storage'
import { BLOB_TOKEN, startBlobStore, type BlobStore } from './blob'
import { freePort } from './ports'

export const AWS_KEYS = {
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
}

export interface FileStorages {
  dir: string
  blob: BlobStore
  storages: Record<'disk' | 'Vercel Blob' | 'S3', () => FilesStorage>
}

/** Each storage of files, on loopback, while the tests of one file run. */
export function useFileStorages(): FileStorages {
  let s3 = ''
  const here = { storages: {
    'disk': () => ({ kind: 'disk' }),
    'Vercel Blob': () => ({ kind: 'blob', token: BLOB_TOKEN }),
    'S3': () => ({ kind: 's3', endpoint: s3, bucket: 'forms', ...AWS_KEYS }),
  } } as FileStorages
  beforeAll(async () => {
    here.dir = await mkdtemp(join(tmpdir(), 'files-'))
    here.blob = await startBlobStore()
    const seed = { aws: { s3: { buckets: [{ name: 'forms' }] } } }
    const aws = await createEmulator({ service: 'aws', port: await freePort(), seed })
    s3 = aws.url
    vi.stubEnv('VERCEL_BLOB_API_URL', here.blob.apiUrl)
    vi.stubEnv('VERCEL_BLOB_RETRIES', '0')
    return async () => {
      vi.unstubAllEnvs()
      here.blob.close()
      await aws.close()
      await rm(here.dir, { recursive: true })
    }
  })
  return here
}

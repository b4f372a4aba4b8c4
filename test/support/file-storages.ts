import { createEmulator } from 'emulate'
import { beforeAll, vi } from 'vitest'
import type { FilesStorage } from '../../server/adapters/files/storage'
import { BLOB_TOKEN, startBlobStore } from './blob'
import { endAfterAll, sharedFolder } from './lifetime'
import { freePort } from './ports'

const AWS_KEYS = {
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
}

/** Starts each file storage on loopback for the tests of one file. */
export async function useFileStorages() {
  const dir = sharedFolder()
  const blob = endAfterAll(await startBlobStore())
  const seed = { aws: { s3: { buckets: [{ name: 'forms' }] } } }
  const s3 = endAfterAll(await createEmulator({ service: 'aws', port: await freePort(), seed }))
  beforeAll(() => {
    vi.stubEnv('VERCEL_BLOB_API_URL', blob.apiUrl)
    vi.stubEnv('VERCEL_BLOB_RETRIES', '0')
    return () => void vi.unstubAllEnvs()
  })
  const storages = {
    'disk': { kind: 'disk' },
    'Vercel Blob': { kind: 'blob', token: BLOB_TOKEN },
    'S3': { kind: 's3', endpoint: s3.url, bucket: 'forms', ...AWS_KEYS },
  } satisfies Record<string, FilesStorage>
  return { dir, blob, storages }
}

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createEmulator, type Emulator } from 'emulate'
import type { Files } from 'files-sdk'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { openFiles, type FilesStorage } from '../../server/adapters/ai/files-store'
import { createFileTools } from '../../server/adapters/ai/tools/files'
import { BLOB_TOKEN, startBlobStore, type BlobStore } from '../support/blob'
import { freePort } from '../support/ports'
import { callTool } from '../support/tools'

const AWS_KEYS = { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' }

let blob: BlobStore
let aws: Emulator
let dir: string

beforeAll(async () => {
  blob = await startBlobStore()
  vi.stubEnv('VERCEL_BLOB_API_URL', blob.apiUrl)
  vi.stubEnv('VERCEL_BLOB_RETRIES', '0')
  aws = await createEmulator({
    service: 'aws', port: await freePort(), seed: { aws: { s3: { buckets: [{ name: 'forms' }] } } },
  })
  dir = await mkdtemp(join(tmpdir(), 'file-storages-'))
})
afterAll(async () => {
  vi.unstubAllEnvs()
  blob.close()
  await aws.close()
  await rm(dir, { recursive: true })
})

const storages: Record<string, () => { storage: FilesStorage, access?: 'private' }> = {
  'disk': () => ({ storage: { kind: 'disk' } }),
  'Vercel Blob, public': () => ({ storage: { kind: 'blob', token: BLOB_TOKEN } }),
  'Vercel Blob, private': () => ({ storage: { kind: 'blob', token: BLOB_TOKEN }, access: 'private' }),
  'S3': () => ({ storage: { kind: 's3', endpoint: aws.url, bucket: 'forms', ...AWS_KEYS } }),
}

const open = (name: string): Promise<Files> => openFiles({
  dir, access: 'public', maxBytes: 1000, ...storages[name]!(),
})

describe.each(Object.keys(storages))('on %s', (name) => {
  let call: (name: string, input?: object) => Promise<Record<string, unknown>>
  beforeAll(async () => {
    const tools = createFileTools({ files: await open(name) })
    call = (tool, input) => callTool(tools, tool, input)
  })

  test('a file is saved, listed, inspected, read, copied and deleted', async () => {
    const content = JSON.stringify({ name: 'Ada', 数: '名前 🦊' })
    expect(
      await call('uploadFile', { key: 'reports/ada-1.json', content, contentType: 'application/json' }),
    ).toMatchObject({ key: 'reports/ada-1.json', size: Buffer.byteLength(content) })
    expect(await call('listFiles', { prefix: 'reports/' })).toMatchObject({
      items: [{ key: 'reports/ada-1.json', size: Buffer.byteLength(content) }],
    })
    expect(await call('getFileMetadata', { key: 'reports/ada-1.json' })).toMatchObject({
      size: Buffer.byteLength(content), type: expect.stringContaining('application/json'),
    })
    await call('copyFile', { from: 'reports/ada-1.json', to: 'archive/ada.json' })
    await call('deleteFile', { key: 'reports/ada-1.json' })
    expect(await call('downloadFile', { key: 'archive/ada.json' })).toMatchObject({ content })
    await expect(call('downloadFile', { key: 'reports/ada-1.json' })).rejects.toThrow('There is no file with this key.')
    await expect(
      call('copyFile', { from: 'reports/ada-1.json', to: 'b' }),
    ).rejects.toThrow('There is no file with this key.')
  })

  test('a file beyond the limit is not stored', async () => {
    await expect(
      call('uploadFile', { key: 'big', content: 'a'.repeat(1001) }),
    ).rejects.toThrow('The file has 1001 bytes; at most 1000 are stored (FILES_MAX_BYTES).')
    expect(await call('listFiles', { prefix: 'big' })).toMatchObject({ items: [] })
  })
})

describe('links', () => {
  const tools = async (name: string) => createFileTools({ files: await open(name) })

  test('of public blobs are where they are; of private ones there are none', async () => {
    const all = await tools('Vercel Blob, public')
    await callTool(all, 'uploadFile', { key: 'a b.txt', content: 'x' })
    expect(await callTool(all, 'getFileUrl', { key: 'a b.txt' })).toMatchObject({
      url: 'https://StoreOfTests.public.blob.vercel-storage.com/a%20b.txt',
    })
    await expect(
      callTool(await tools('Vercel Blob, private'), 'getFileUrl', { key: 'a b.txt' }),
    ).rejects.toThrow('The files are private, so they have no permanent URL. Use downloadFile.')
  })

  test('a blob is stored with the access of the deployment', async () => {
    await callTool(await tools('Vercel Blob, private'), 'uploadFile', { key: 'secret', content: 'x' })
    await callTool(await tools('Vercel Blob, public'), 'uploadFile', { key: 'open', content: 'x' })
    expect([blob.blobs.get('secret')?.access, blob.blobs.get('open')?.access]).toEqual(['private', 'public'])
  })

  test('to upload a blob are bounded in size and time, whatever a model asks for', async () => {
    const before = Date.now()
    const link = await callTool(await tools('Vercel Blob, public'), 'signUploadUrl', {
      key: 'in/photo.png', expiresIn: 1e6, maxSize: 1e9, contentType: 'image/png',
    })
    expect(link).toMatchObject({ method: 'PUT', url: expect.stringContaining('photo.png') })
    expect(blob.signed.at(-1)).toMatchObject({
      pathname: 'in/photo.png', operations: ['put'], maximumSizeInBytes: 1000, allowedContentTypes: ['image/png'],
    })
    expect(Number(blob.signed.at(-1)!.validUntil) - before).toBeLessThanOrEqual(3_601_000)
  })

  test('to S3 are signed, and work', async () => {
    const all = await tools('S3')
    const { url: upload } = await callTool(all, 'signUploadUrl', { key: 'in/a.txt', expiresIn: 60 }) as { url: string }
    expect(new URL(upload).searchParams.get('X-Amz-Signature')).toMatch(/^[0-9a-f]{64}$/)
    expect((await fetch(upload, { method: 'PUT', body: 'by link' })).ok).toBe(true)
    const { url } = await callTool(all, 'getFileUrl', { key: 'in/a.txt' }) as { url: string }
    expect(await (await fetch(url)).text()).toBe('by link')
  })
})

test('credentials that are refused are named by their variables, and never shown', async () => {
  const tools = createFileTools({ files: await openFiles({
    dir, access: 'public', maxBytes: 1000, storage: { kind: 'blob', token: 'vercel_blob_rw_StoreOfTests_wrong' },
  }) })
  await expect(callTool(tools, 'listFiles')).rejects.toThrow(
    /^The file storage refused access: .*BLOB_READ_WRITE_TOKEN or FILES_S3_\*/,
  )
})

test('a storage that is away is said to be, without its address', async () => {
  const tools = createFileTools({ files: await openFiles({ dir, access: 'public', maxBytes: 1000, storage: {
    kind: 's3', endpoint: `http://127.0.0.1:${await freePort()}`, bucket: 'forms', ...AWS_KEYS,
  } }) })
  await expect(callTool(tools, 'listFiles')).rejects.toThrow(
    new Error('The file storage does not work just now. Try again later.'),
  )
})

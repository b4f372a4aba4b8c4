import { beforeAll, describe, expect, test } from 'vitest'
import { openFiles } from '../../../../server/adapters/files/agent-files'
import type { FilesStorage } from '../../../../server/adapters/files/storage'
import { createFileTools } from '../../../../server/adapters/ai/tools/files'
import { useFileStorages } from '../../../support/file-storages'
import { freePort } from '../../../support/ports'
import { callTool } from '../../../support/tools'

const env = await useFileStorages()
const { disk, S3, 'Vercel Blob': blob } = env.storages
const storages: Record<string, { storage: FilesStorage, access?: 'private' }> = {
  'disk': { storage: disk }, 'Vercel Blob, public': { storage: blob },
  'Vercel Blob, private': { storage: blob, access: 'private' }, 'S3': { storage: S3 },
}

const toolsOn = async (storage: FilesStorage, access: 'public' | 'private' = 'public') => {
  const tools = createFileTools({ files: await openFiles({ dir: env.dir, access, maxBytes: 1000, storage }) })
  return (name: string, input?: object) => callTool(tools, name, input)
}
const openStorage = (name: string) => toolsOn(storages[name]!.storage, storages[name]!.access)

describe.each(Object.keys(storages))('on %s', (name) => {
  let call: Awaited<ReturnType<typeof openStorage>>
  beforeAll(async () => { call = await openStorage(name) })

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

test('what is saved under the extension of another type is refused, and the refusal names the key to use', async () => {
  const call = await openStorage('disk')
  const save = (key: string) => call('uploadFile', { key, content: 'GIF89a/*<script>alert(1)</script>*/' })
  await expect(save('pages/invoice.html')).rejects.toThrow('The content is image/gif')
  await expect(save('pages/invoice.html')).rejects.toThrow('Use the key "pages/invoice.gif".')
  for (const key of ['pages/invoice.gif', 'pages/invoice']) expect(await save(key)).toMatchObject({ key })
})

describe('links', () => {
  test('of public blobs are where they are; of private ones there are none', async () => {
    const call = await openStorage('Vercel Blob, public')
    await call('uploadFile', { key: 'a b.txt', content: 'x' })
    expect(await call('getFileUrl', { key: 'a b.txt' })).toMatchObject({
      url: 'https://StoreOfTests.public.blob.vercel-storage.com/a%20b.txt',
    })
    await expect((await openStorage('Vercel Blob, private'))('getFileUrl', { key: 'a b.txt' })).rejects.toThrow(
      'The files are private, so they have no permanent URL. Use downloadFile.',
    )
  })

  test('a blob is stored with the access of the deployment', async () => {
    for (const key of ['private', 'public']) {
      await (await openStorage(`Vercel Blob, ${key}`))('uploadFile', { key, content: 'x' })
      expect(env.blob.blobs.get(key)?.access).toBe(key)
    }
  })

  test('to upload a blob are bounded in size and time, whatever a model asks for', async () => {
    const link = await (await openStorage('Vercel Blob, public'))('signUploadUrl', {
      key: 'in/photo.png', expiresIn: 1e6, maxSize: 1e9, contentType: 'image/png',
    })
    expect(link).toMatchObject({ method: 'PUT', url: expect.stringContaining('photo.png') })
    expect(env.blob.signed.at(-1)).toMatchObject({
      pathname: 'in/photo.png', operations: ['put'], maximumSizeInBytes: 1000, allowedContentTypes: ['image/png'],
    })
    expect(Number(env.blob.signed.at(-1)!.validUntil) - Date.now()).toBeLessThanOrEqual(3_600_000)
  })

  test('to S3 are signed, and work', async () => {
    const call = await openStorage('S3')
    const { url: upload } = await call('signUploadUrl', { key: 'in/a.txt', expiresIn: 60 }) as { url: string }
    expect(new URL(upload).searchParams.get('X-Amz-Signature')).toMatch(/^[0-9a-f]{64}$/)
    expect((await fetch(upload, { method: 'PUT', body: 'by link' })).ok).toBe(true)
    const { url } = await call('getFileUrl', { key: 'in/a.txt' }) as { url: string }
    expect(await (await fetch(url)).text()).toBe('by link')
  })
})

test('credentials that are refused are named by their variables, and never shown', async () => {
  const call = await toolsOn({ kind: 'blob', token: 'vercel_blob_rw_StoreOfTests_wrong' })
  await expect(call('listFiles')).rejects.toThrow(
    /^The file storage refused access: .*BLOB_READ_WRITE_TOKEN or FILES_S3_\*/,
  )
})

test('a bucket that does not exist is said not to, instead of a file', async () => {
  const call = await toolsOn({ ...S3, bucket: 'misspelt' })
  for (const [tool, input] of [['listFiles', {}], ['uploadFile', { key: 'a', content: 'x' }]] as const) {
    await expect(call(tool, input)).rejects.toThrow(/^There is no such file storage: .* FILES_S3_BUCKET\.$/)
  }
})

test('a storage that is away is said to be, without its address', async () => {
  const call = await toolsOn({ ...S3, endpoint: `http://127.0.0.1:${await freePort()}` })
  await expect(call('listFiles')).rejects.toThrow(
    new Error('The file storage does not work just now. Try again later.'),
  )
})

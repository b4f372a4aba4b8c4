import { randomBytes } from 'node:crypto'
import { stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { openFiles } from '../../../../server/adapters/files/agent-files'
import { createFormFiles, PART_BYTES } from '../../../../server/adapters/files/form-files'
import { createFileTools } from '../../../../server/adapters/ai/tools/files'
import type { FilesStorage } from '../../../../server/adapters/files/storage'
import { FileMissing } from '../../../../server/ports/files'
import { useFileStorages } from '../../../support/file-storages'
import { callTool } from '../../../support/tools'

const [ID, OTHER_ID] = ['0b1f2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d', '1b1f2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d']

const env = await useFileStorages()

async function* chunks(bytes: Buffer, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

const collect = async (bytes: AsyncIterable<Buffer>) => Buffer.concat(await Array.fromAsync(bytes))
const tenBytes = () => chunks(randomBytes(10), 10)
const filesOn = (storage: FilesStorage, dir = env.dir, owner = async () => 'one') => (
  createFormFiles({ storage, dir, owner })
)
const filesOnDisk = () => filesOn(env.storages.disk)

describe.each(['disk', 'Vercel Blob', 'S3'] as const)('on %s', (name) => {
  const createFiles = () => filesOn(env.storages[name])
  /** Tools of the agent on the same storage. */
  const agentTools = async () => createFileTools({
    files: await openFiles({ storage: env.storages[name], dir: env.dir, access: 'private', maxBytes: 1000 }),
  })

  test('of several owners each sees its own alone', async () => {
    const theirs = filesOn(env.storages[name], join(env.dir, 'theirs'), async () => 'other')
    const mine = createFiles()
    await mine.write(ID, 0, Readable.from([Buffer.from('mine')]))
    expect(await theirs.idsBefore(Date.now() + 60_000)).toEqual([])
    await theirs.erase(ID)
    expect((await collect(mine.read(ID, 0, 4))).toString()).toBe('mine')
    expect(await mine.idsBefore(Date.now() + 60_000)).toEqual([ID])
    await mine.erase(ID)
  })

  test.each([1, PART_BYTES, 2 * PART_BYTES + 1])('a file of %i bytes is read as it was written', async (size) => {
    const files = createFiles()
    const bytes = randomBytes(size)
    await files.write(ID, 3, chunks(bytes, 64 * 1024 + 1))
    expect((await collect(files.read(ID, 3, size))).equals(bytes)).toBe(true)
    await expect(collect(files.read(ID, 3, size + 1))).rejects.toThrow(FileMissing)
    await files.erase(ID)
    await expect(collect(files.read(ID, 3, size))).rejects.toThrow(FileMissing)
  })

  test('erasing takes all of one submission and nothing of another; half a file goes too', async () => {
    const files = createFiles()
    async function* broken() {
      yield randomBytes(PART_BYTES + 1)
      throw new Error('The sender has left.')
    }
    await expect(files.write(ID, 0, broken())).rejects.toThrow('left')
    await files.write(OTHER_ID, 0, tenBytes())
    const tomorrow = Date.now() + 86_400_000
    expect((await files.idsBefore(tomorrow)).sort()).toEqual([ID, OTHER_ID])
    await files.erase(ID)
    expect(await files.idsBefore(tomorrow)).toEqual([OTHER_ID])
    expect(await collect(files.read(OTHER_ID, 0, 10))).toHaveLength(10)
    await files.erase(OTHER_ID)
    await files.erase(OTHER_ID)
  })

  test('the agent neither sees nor touches them', async () => {
    const files = createFiles()
    await files.write(ID, 0, tenBytes())
    const tools = await agentTools()
    expect(await callTool(tools, 'listFiles', {})).toMatchObject({ items: [] })
    for (const [tool, input] of [
      ['downloadFile', {}], ['deleteFile', {}], ['getFileMetadata', {}], ['uploadFile', { content: 'x' }],
    ] as const) {
      const call = callTool(tools, tool, { key: `form-files/${ID}/0/0`, ...input })
      await expect(call).rejects.toThrow('belongs to the forms')
    }
    await files.erase(ID)
  })

  test('the agent finds its own files behind any number of them', async () => {
    const files = createFiles()
    for (const index of [0, 1, 2, 3, 4]) await files.write(ID, index, tenBytes())
    const tools = await agentTools()
    for (const key of ['reports/1', 'reports/2']) await callTool(tools, 'uploadFile', { key, content: 'x' })
    expect(await callTool(tools, 'listFiles', { limit: 2 })).toMatchObject({ items: [{ key: 'reports/1' }] })
    for (const key of ['reports/1', 'reports/2']) await callTool(tools, 'deleteFile', { key })
    expect(await callTool(tools, 'listFiles', { limit: 2 })).toMatchObject({ items: [] })
    await files.erase(ID)
  })
})

test('on disk a file whose parts still come is no old one, whenever the first of them came', async () => {
  const files = filesOnDisk()
  const [folder, longAgo] = [join(env.dir, 'form-files', ID), new Date(Date.now() - 7_200_000)]
  async function* slow() {
    yield randomBytes(PART_BYTES)
    await utimes(folder, longAgo, longAgo)
    yield randomBytes(PART_BYTES)
  }
  await files.write(ID, 0, slow())
  const hourAgo = Date.now() - 3_600_000
  expect(await files.idsBefore(hourAgo)).toEqual([])
  await utimes(join(folder, '0'), longAgo, longAgo)
  expect(await files.idsBefore(hourAgo)).toEqual([ID])
  await files.erase(ID)
})

test('a storage that could not be opened is opened again', async () => {
  let attempts = 0
  const files = filesOn(env.storages['Vercel Blob'], env.dir, async () => {
    if (attempts++ === 0) throw new Error('The store does not answer.')
    return 'one'
  })
  await expect(files.write(ID, 0, tenBytes())).rejects.toThrow('The store does not answer.')
  await files.write(ID, 0, tenBytes())
  expect(await collect(files.read(ID, 0, 10))).toHaveLength(10)
  await files.erase(ID)
})

test('nobody else of the machine looks into the folder of a disk', async () => {
  const dir = join(env.dir, 'kept', 'uploads')
  await filesOn(env.storages.disk, dir).write(ID, 0, tenBytes())
  expect((await stat(dir)).mode & 0o077).toBe(0)
})

test('a Blob of a form is private', async () => {
  const files = filesOn(env.storages['Vercel Blob'])
  await files.write(ID, 0, tenBytes())
  expect([...env.blob.blobs.values()].map(({ access }) => access)).toEqual(['private'])
  await files.erase(ID)
})

test.each([
  ['image/png', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')],
  ['application/pdf', Buffer.from('%PDF-1.7\n')],
  // TIFF with its image directory at the end of the file, as scanners write it
  ['image/tiff', Buffer.concat([Buffer.from('49492a0000a00f00', 'hex'), Buffer.alloc(4092)])],
  ['image/tiff', Buffer.concat([Buffer.from('4d4d002a000fa000', 'hex'), Buffer.alloc(4092)])],
  ['image/gif', Buffer.from('GIF89a/*<script>alert(1)</script>*/')],
  ['text/plain', Buffer.from('Ünïcode, 数')],
  ['text/plain', Buffer.from('数'.repeat(3000)).subarray(0, 4100)],
  ['text/plain', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')],
  ['text/plain', Buffer.from('Name;Größe\r\n', 'latin1')],
  ['text/plain', Buffer.from('\uFEFFNaïve – 数\r\n', 'utf16le')],
  ['text/plain', Buffer.from('\uFEFFNaïve – 数\r\n', 'utf16le').swap16()],
  ['text/plain', Buffer.from(`\uFEFF${'\u{1F600}'.repeat(2000)}`, 'utf16le').subarray(0, 4100)],
  [null, Buffer.from('\uFEFFa\u0000', 'utf16le')],
  [null, Buffer.from('\uFEFFa\uD800a', 'utf16le')],
  ['application/xml', Buffer.from('<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"></svg>')],
  ['application/x-msdownload', Buffer.from('MZ\u0000\u0000')],
  [null, Buffer.from([0, 1, 2, 3])],
])('is %s by its content', async (type, head) => {
  expect((await filesOnDisk().kindOf(head))?.type ?? null).toBe(type)
})

test.each([
  ['invoice.html', 'image/gif', 'gif', 'invoice.gif'], ['Invoice.HTML. ', 'image/gif', 'gif', 'Invoice.gif'],
  ['run.hta', 'application/pdf', 'pdf', 'run.hta.pdf'], ['photo.JPEG', 'image/jpeg', 'jpg', 'photo.JPEG'],
  ['scan', 'application/pdf', 'pdf', 'scan.pdf'], ['report v1.2', 'application/pdf', 'pdf', 'report v1.2.pdf'],
  ['J.Smith', 'application/pdf', 'pdf', 'J.Smith.pdf'], ['.htaccess', 'text/plain', 'txt', '.htaccess.txt'],
  ['page.html', 'text/plain', 'txt', 'page.txt'], ['drawing.svg', 'text/plain', 'txt', 'drawing.txt'],
  ['rows.csv', 'text/plain', 'txt', 'rows.csv'], ['drawing.svg', 'application/xml', 'xml', 'drawing.svg'],
  ['page.xhtml', 'application/xml', 'xml', 'page.xml'], ['tool.jar', 'application/zip', 'zip', 'tool.zip'],
  ['letter.docx', 'application/zip', 'zip', 'letter.docx'], ['setup.msi', 'application/x-cfb', 'cfb', 'setup.cfb'],
  ['clip.mov', 'video/quicktime', 'mov', 'clip.mov'], ['数.pdf', 'application/pdf', 'pdf', '数.pdf'],
])('%j, which is %s by its content, is called %4$j', async (name, type, extension, expectedName) => {
  expect(await filesOnDisk().nameOf(name, { type, extension })).toBe(expectedName)
})

import { promises as fs } from 'node:fs'
import { join } from 'node:path'
import type { Files } from 'files-sdk'
import { FileMissing, type FileStore } from '../../ports/files'
import { kindOf, nameWithExtension } from './file-kinds'
import { FORM_FILES, openAdapter, STORAGE_TIMEOUT_MS, type FilesStorage } from './storage'

interface FormFilesOptions {
  storage: FilesStorage
  /** Folder of the `disk` storage; nothing else may be in it. */
  dir: string
  /** Returns the id of the deployment. Each deployment that shares the storage sweeps only its own files. */
  owner: () => Promise<string>
}

/**
 * Size of the parts in which files are stored, bytes. Two of the three adapters of Files SDK collect a stream before
 * they send it, so an upload needs the memory of one part. Each part is stored whole or not at all.
 */
export const PART_BYTES = 1024 * 1024

/** Parts that are deleted at a time. */
const DELETE_CONCURRENCY = 8

/** Keeps the files of forms on any storage. Nobody else gets a link to them: on Vercel Blob they are private. */
export function createFormFiles(options: FormFilesOptions): FileStore {
  let opening: ReturnType<typeof openFiles> | undefined
  const openStorage = () => opening ??= openFiles(options).catch((error) => {
    opening = undefined
    throw error
  })
  const listParts = async (id = '') => {
    const { files, root } = await openStorage()
    const parts: { key: string, lastModified?: number }[] = []
    const prefix = `${root}/${id && `${id}/`}`
    for await (const { key, lastModified } of files.listAll({ prefix })) parts.push({ key, lastModified })
    return parts
  }

  return {
    async write(id, index, content) {
      const { files, root } = await openStorage()
      let part = 0
      for await (const bytes of splitIntoParts(content)) {
        await files.upload(`${root}/${id}/${index}/${part++}`, bytes, { contentType: 'application/octet-stream' })
      }
    },
    async* read(id, index, size) {
      const { files, root } = await openStorage()
      let remainingBytes = size
      for (let part = 0; remainingBytes > 0; part++) {
        const partFile = await files.download(`${root}/${id}/${index}/${part}`).catch(throwMissing)
        const bytes = Buffer.from(await partFile.arrayBuffer())
        remainingBytes -= bytes.length
        if (remainingBytes < 0 || bytes.length === 0) throw new FileMissing('The file is not as long as it was.')
        yield bytes
      }
    },
    async erase(id) {
      const keys = (await listParts(id)).map(({ key }) => key)
      if (keys.length === 0) return
      const { errors } = await (await openStorage()).files.delete(keys, { concurrency: DELETE_CONCURRENCY })
      if (errors?.[0]) throw errors[0].error
    },
    async idsBefore(time: number) {
      const parts = (await listParts()).map(({ key, lastModified = 0 }) => (
        { id: key.split('/').at(-3)!, lastModified }
      ))
      const recentIds = new Set(parts.filter(({ lastModified }) => lastModified >= time).map(({ id }) => id))
      return [...new Set(parts.map(({ id }) => id))].filter(id => !recentIds.has(id))
    },
    kindOf,
    nameOf: nameWithExtension,
    ...options.storage.kind === 'disk' ? foldersOf(join(options.dir, FORM_FILES)) : {},
  }
}

/** Handles leftovers of a crash on disk that Files SDK does not list: folders and half-written parts. */
function foldersOf(root: string) {
  return {
    erase: (id: string) => fs.rm(join(root, id), { recursive: true, force: true }),
    async idsBefore(time: number) {
      const ids = await fs.readdir(root).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return []
        throw error
      })
      const changeTimes = await Promise.all(ids.map(id => readChangedAt(join(root, id)).catch(() => time)))
      return ids.filter((_, index) => changeTimes[index]! < time)
    },
  }
}

/** Returns the time of the last write below a folder, epoch ms. Writing a part of a file changes the file's folder. */
async function readChangedAt(folder: string): Promise<number> {
  const paths = [folder, ...(await fs.readdir(folder)).map(name => join(folder, name))]
  const stats = await Promise.all(paths.map(path => fs.stat(path)))
  return Math.max(...stats.map(({ mtimeMs }) => mtimeMs))
}

function throwMissing(error: Error & { code?: string }): never {
  throw error.code === 'NotFound' ? new FileMissing('The storage has no such file.', { cause: error }) : error
}

async function openFiles({ storage, dir, owner }: FormFilesOptions): Promise<{ files: Files, root: string }> {
  // Hide form data from other users of a shared machine.
  if (storage.kind === 'disk') await fs.mkdir(dir, { recursive: true, mode: 0o700 })
  const [{ adapter, plugins }, { Files }] = await Promise.all([
    openAdapter({ storage, dir, access: 'private' }), import('files-sdk'),
  ])
  const root = storage.kind === 'disk' ? FORM_FILES : `${FORM_FILES}/${await owner()}`
  return { files: new Files({ adapter, plugins, timeout: STORAGE_TIMEOUT_MS }), root }
}

/** Yields the bytes in new buffers of `PART_BYTES`. The last one may be shorter. */
async function* splitIntoParts(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let [part, usedBytes] = [Buffer.alloc(PART_BYTES), 0]
  for await (const chunk of content) {
    for (let at = 0; at < chunk.length;) {
      const byteCount = Math.min(chunk.length - at, PART_BYTES - usedBytes)
      part.set(chunk.subarray(at, at + byteCount), usedBytes)
      usedBytes += byteCount
      at += byteCount
      if (usedBytes < PART_BYTES) continue
      yield part
      ;[part, usedBytes] = [Buffer.alloc(PART_BYTES), 0]
    }
  }
  if (usedBytes > 0) yield part.subarray(0, usedBytes)
}

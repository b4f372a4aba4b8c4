import { beforeEach, expect, test } from 'vitest'
import { notedFiles } from '../../../../server/domain/operations/monitor'
import { FileMissing, type FileStore } from '../../../../server/ports/files'
import { only } from '../../../fakes/only'
import type { Monitor } from '../../../../server/ports/monitor'

let storageError: Error | null
let notes: (string | undefined)[]
let files: FileStore

beforeEach(() => {
  storageError = null
  notes = []
  files = notedFiles({
    write: async (_id, _index, content) => {
      for await (const _ of content) if (storageError) throw storageError
    },
    read: async function* () {
      yield Buffer.from('a')
      if (storageError) throw storageError
    },
    erase: async () => {}, idsBefore: async () => [], kindOf: async () => null,
    nameOf: async name => name,
  }, only<Monitor>({ filed: reason => void notes.push(reason) }))
})

async function* content(senderError?: Error) {
  yield Buffer.from('a')
  if (senderError) throw senderError
}
const write = (senderError?: Error) => files.write('id', 0, content(senderError)).catch(() => {})
const read = () => Array.fromAsync(files.read('id', 0, 1)).catch(() => {})

test('a file that was stored, and one that was read, are noted', async () => {
  await write()
  await read()
  expect(notes).toEqual([undefined, undefined])
})

test('a storage that fails is noted by the code of its error and where to look, and without what else it says', async () => {
  storageError = Object.assign(new Error('EACCES: open /secret/path'), { code: 'EACCES' })
  await write()
  await read()
  const where = 'Check where files are kept: DATA_DIR, FILES_S3_* or BLOB_READ_WRITE_TOKEN.'
  expect(notes).toEqual([
    `A file could not be stored (EACCES). ${where}`, `A file could not be read (EACCES). ${where}`,
  ])
})

test('a sender who leaves, a reader who does, and a file that is lost say nothing of the storage', async () => {
  await write(new Error('The connection closed.'))
  for await (const _ of files.read('id', 0, 1)) break
  storageError = new FileMissing('gone')
  await read()
  expect(notes).toEqual([])
})

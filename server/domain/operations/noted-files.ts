import { FileMissing, type FileStore } from '../../ports/files'
import type { Monitor } from '../../ports/monitor'

/**
 * Reports results of the file storage to the monitor. Leaves out what is not the storage's state: a sender who leaves,
 * a file that is not allowed, and a file that the storage has lost.
 */
export function notedFiles(files: FileStore, monitor: Monitor): FileStore {
  return {
    ...files,
    async write(id, index, content) {
      let isSendersError = false
      async function* readContent() {
        try {
          yield* content
        }
        catch (error) {
          isSendersError = true
          throw error
        }
      }
      try {
        await files.write(id, index, readContent())
      }
      catch (error) {
        if (!isSendersError) monitor.filed(reasonOf(error, 'stored'))
        throw error
      }
      monitor.filed()
    },
    async* read(id, index, size) {
      try {
        yield* files.read(id, index, size)
      }
      catch (error) {
        if (!(error instanceof FileMissing)) monitor.filed(reasonOf(error, 'read'))
        throw error
      }
      monitor.filed()
    },
  }
}

/** Returns a text with the error's code only: its message may contain paths and keys. */
function reasonOf(error: unknown, verb: string): string {
  const { code, cause } = error as { code?: unknown, cause?: { code?: unknown } }
  const errorCode = [cause?.code, code].find(each => typeof each === 'string' && /^\w{1,40}$/.test(each))
  return `A file could not be ${verb}${errorCode ? ` (${errorCode as string})` : ''}. Check where files are kept: DATA_DIR, FILES_S3_* or BLOB_READ_WRITE_TOKEN.`
}

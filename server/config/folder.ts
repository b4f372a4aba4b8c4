import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

/** Creates DATA_DIR if it is missing. Returns the reason if files cannot be stored there, otherwise null. */
export function folderProblem(dir: string): string | null {
  try {
    const folder = resolve(dir)
    makeFolder(folder)
    const probe = join(folder, `.probe-${process.pid}`)
    writeFileSync(probe, '')
    rmSync(probe)
    return null
  }
  catch (error) {
    return `DATA_DIR cannot be used: ${dir} is no folder in which this user may write (${(error as NodeJS.ErrnoException).code}). Set DATA_DIR to one, or mount one there.`
  }
}

/** Replaces Node's `recursive`, which never ends if a file system such as /proc answers ENOENT. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return
  makeFolder(dirname(folder))
  try {
    mkdirSync(folder)
  }
  catch (error) {
    // Another process may have created it meanwhile.
    if (!existsSync(folder)) throw error
  }
}

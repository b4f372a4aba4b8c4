import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

/** Makes DATA_DIR if it is missing. Returns why it cannot keep files, or null if it can. */
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

/** Node's own `recursive` tries for ever if a file system answers ENOENT, as /proc does. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return
  makeFolder(dirname(folder))
  try {
    mkdirSync(folder)
  }
  catch (error) {
    // Another process was faster.
    if (!existsSync(folder)) throw error
  }
}

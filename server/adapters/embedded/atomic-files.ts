import { mkdir, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Driver } from 'unstorage'
import fsLite from 'unstorage/drivers/fs-lite'

/** Folder of files being written. */
export const UNFINISHED = 'unfinished'

/**
 * unstorage's `fs-lite` driver with writes that are all or nothing: by itself it truncates the file and then fills it,
 * so a kill in between would lose the old content and the new. Two writes of one key must not overlap.
 */
export function atomicFiles(dir: string): Driver {
  return {
    ...fsLite({ base: dir }),
    async setItemRaw(key: string, text: string): Promise<void> {
      const path = join(dir, key.replaceAll(':', '/'))
      const unfinished = join(dir, UNFINISHED, key.replaceAll(':', '-'))
      // Form data is nobody else's business on a shared machine.
      for (const file of [path, unfinished]) await mkdir(dirname(file), { recursive: true, mode: 0o700 })
      await writeFile(unfinished, text, { mode: 0o600 })
      await rename(unfinished, path)
    },
  }
}

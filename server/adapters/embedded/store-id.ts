import { randomUUID } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Returns the id of an embedded store. The first process that asks creates it. */
export async function embeddedId(dataDir: string): Promise<string> {
  const path = join(dataDir, 'id')
  await mkdir(dataDir, { recursive: true })
  // Another process may have created it.
  await writeFile(path, randomUUID(), { flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  return readFile(path, 'utf8')
}

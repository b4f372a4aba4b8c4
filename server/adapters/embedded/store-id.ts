import { randomUUID } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The name of an embedded store: the first process that asks gives it one. */
export async function embeddedId(dataDir: string): Promise<string> {
  const path = join(dataDir, 'id')
  await mkdir(dataDir, { recursive: true })
  // Somebody else gave it one.
  await writeFile(path, randomUUID(), { flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  return readFile(path, 'utf8')
}

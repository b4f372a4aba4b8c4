import { promises as fs } from 'node:fs'
import { dirname, join } from 'node:path'
import { createStorage, type Driver, type Storage } from 'unstorage'
import fsLite from 'unstorage/drivers/fs-lite'
import { KeyedMutex } from '../../../shared/utils/turns'

/** Folder of files being written. */
const UNFINISHED = 'unfinished'

/** Base class for stores with a folder of files. Reads them before the first call, and writes each key in order. */
export abstract class JsonFolder {
  protected readonly files: Storage
  private readonly mutex = new KeyedMutex()
  private loading: Promise<void> | null = null

  /** @param dir folder that nothing else uses, created if missing. Only one process may use it at a time. */
  constructor(private readonly dir: string) {
    this.files = createStorage({ driver: atomicFiles(dir) })
  }

  /** Restores an item from its file after a restart. */
  protected abstract restore(key: string, text: string): void

  protected loaded(): Promise<void> {
    this.loading ??= this.load().catch((error: unknown) => {
      this.loading = null
      throw error
    })
    return this.loading
  }

  /** Runs the tasks of one key one after the other. */
  protected async inTurn<T>(key: string, task: () => Promise<T>): Promise<T> {
    await this.loaded()
    return this.mutex.run(key, task)
  }

  /** Waits for running changes. */
  async close(): Promise<void> {
    await this.mutex.settled()
    await this.files.dispose()
  }

  protected async load(): Promise<void> {
    // A crash may leave a half-written file with form data.
    await fs.rm(join(this.dir, UNFINISHED), { recursive: true, force: true })
    for (const key of await this.files.getKeys()) {
      try {
        const text = await this.text(key)
        if (text !== null) this.restore(key, text)
      }
      catch (cause) {
        throw new Error(`Cannot read "${key.replace(':', '/')}" in ${this.dir}`, { cause })
      }
    }
  }

  /** Returns the raw text. `getItem` parses with destr, which drops keys such as `__proto__` that websites may send. */
  protected async text(key: string): Promise<string | null> {
    return (await this.files.getItemRaw<Buffer>(key))?.toString() ?? null
  }
}

/**
 * Returns unstorage's `fs-lite` driver with atomic writes. The original truncates the file and then fills it, so a
 * crash in between would lose both the old and the new content. Two writes of one key must not overlap.
 */
function atomicFiles(dir: string): Driver {
  return {
    ...fsLite({ base: dir }),
    async setItemRaw(key: string, text: string): Promise<void> {
      const path = join(dir, key.replaceAll(':', '/'))
      const temporaryPath = join(dir, UNFINISHED, key.replaceAll(':', '-'))
      // Keep form data from other users of a shared machine.
      for (const file of [path, temporaryPath]) await fs.mkdir(dirname(file), { recursive: true, mode: 0o700 })
      await fs.writeFile(temporaryPath, text, { mode: 0o600 })
      await fs.rename(temporaryPath, path)
    },
  }
}

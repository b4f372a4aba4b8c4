import { promises as fs } from 'node:fs'
import { dirname, join } from 'node:path'
import { createStorage, type Driver, type Storage } from 'unstorage'
import fsLite from 'unstorage/drivers/fs-lite'
import { KeyedMutex } from '../../../shared/utils/turns'

/** Folder of files being written. */
const UNFINISHED = 'unfinished'

/** What is kept as files of one folder: read once, before the first call, and written one change after the other. */
export abstract class JsonFolder {
  protected readonly files: Storage
  private readonly turns = new KeyedMutex()
  private loading: Promise<void> | null = null

  /** @param dir folder of its own; made when missing. One process at a time. */
  constructor(private readonly dir: string) {
    this.files = createStorage({ driver: atomicFiles(dir) })
  }

  /** Takes in what a file holds since before the restart. */
  protected abstract restore(key: string, text: string): void

  protected loaded(): Promise<void> {
    this.loading ??= this.load().catch((error: unknown) => {
      this.loading = null
      throw error
    })
    return this.loading
  }

  /** Runs one task of a key after the other. */
  protected async inTurn<T>(key: string, task: () => Promise<T>): Promise<T> {
    await this.loaded()
    return this.turns.run(key, task)
  }

  /** Waits for the changes under way. */
  async close(): Promise<void> {
    await this.turns.settled()
    await this.files.dispose()
  }

  protected async load(): Promise<void> {
    // What a kill left half written may be form data.
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

  /** Raw, because `getItem` parses with destr, which drops keys such as `__proto__`: a website may well send them. */
  protected async text(key: string): Promise<string | null> {
    return (await this.files.getItemRaw<Buffer>(key))?.toString() ?? null
  }
}

/**
 * unstorage's `fs-lite` driver with writes that are all or nothing: by itself it truncates the file and then fills it,
 * so a kill in between would lose the old content and the new. Two writes of one key must not overlap.
 */
function atomicFiles(dir: string): Driver {
  return {
    ...fsLite({ base: dir }),
    async setItemRaw(key: string, text: string): Promise<void> {
      const path = join(dir, key.replaceAll(':', '/'))
      const unfinished = join(dir, UNFINISHED, key.replaceAll(':', '-'))
      // Form data is nobody else's business on a shared machine.
      for (const file of [path, unfinished]) await fs.mkdir(dirname(file), { recursive: true, mode: 0o700 })
      await fs.writeFile(unfinished, text, { mode: 0o600 })
      await fs.rename(unfinished, path)
    },
  }
}

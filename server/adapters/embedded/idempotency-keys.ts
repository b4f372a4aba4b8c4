import type { Storage } from 'unstorage'

/** Folder of the keys; each is a file named by the key. */
export const KEY_FILES = 'idempotency:'

const HELD_MS = 24 * 60 * 60 * 1000

interface Holder {
  id: string
  /** Epoch ms. */
  until: number
}

/** Which submission holds which idempotency key: in memory, and on disk for after a restart. */
export class IdempotencyKeys {
  private readonly holders = new Map<string, Holder>()

  /** @param now epoch ms */
  constructor(private readonly files: Storage, private readonly now: () => number) {}

  /** Takes in what `file` holds since before the restart. */
  restore(file: string, stored: unknown): void {
    this.holders.set(file.slice(KEY_FILES.length), stored as Holder)
  }

  /** The submission that holds the key, if any. */
  holder(key: string): string | undefined {
    const held = this.holders.get(key)
    return held && held.until > this.now() ? held.id : undefined
  }

  async hold(key: string, id: string): Promise<void> {
    await this.forgetOld()
    const holder: Holder = { id, until: this.now() + HELD_MS }
    await this.files.setItemRaw(KEY_FILES + key, JSON.stringify(holder))
    this.holders.set(key, holder)
  }

  private async forgetOld(): Promise<void> {
    for (const [key, { until }] of this.holders) {
      if (until > this.now()) continue
      this.holders.delete(key)
      await this.files.removeItem(KEY_FILES + key)
    }
  }
}

import { Unreadable, UNREAD, type StoreRules } from '../../ports/store'
import type { Submission } from '../../ports/submission'
import type { RedisClient } from './client'
import { keysOf, recordKey } from './keys'
import { run } from './lua'
import { contentIn, recordIn } from './record'
import { READ } from './scripts'
import { unpacked } from './trace'

export interface ReaderOptions extends Pick<StoreRules, 'parse'> {
  /** Is told once of each submission that cannot be read. */
  unreadable?: (error: Unreadable) => void
}

type Found = Submission | null | Unreadable

/** Reads submissions; one that cannot be read keeps nobody from the others. */
export class Reader {
  private readonly told = new Set<string>()

  constructor(private readonly client: RedisClient, private readonly options: ReaderOptions) {}

  async all(ids: readonly string[]): Promise<Found[]> {
    if (ids.length === 0) return []
    const found = await run(this.client, READ, ids.flatMap(keysOf), []) as (string | null)[]
    return ids.map((id, index) => this.readable(id, () => {
      const [record, data, trace] = found.slice(3 * index)
      if (trace) return unpacked(id, trace)
      return record ? { ...recordIn(record), ...contentIn(data, this.options.parse) } : null
    }, found[3 * index]))
  }

  /** Without what the forms said. */
  async unread(ids: readonly string[]): Promise<Found[]> {
    const records = await Promise.all(ids.map(id => this.client.hGet(recordKey(id), 'r')))
    return ids.map((id, index) => this.readable(id, () => {
      const record = records[index]
      return record ? { ...recordIn(record), data: UNREAD } : null
    }))
  }

  /** An error of the parser is left out: it quotes the text, which may be a form's. */
  private readable(id: string, read: () => Submission | null, record?: string | null): Found {
    try {
      return read()
    }
    catch {
      const error = new Unreadable(id, restIn(record))
      if (!this.told.has(id)) this.options.unreadable?.(error)
      this.told.add(id)
      return error
    }
  }
}

function restIn(record: string | null | undefined): Submission | null {
  try {
    return record ? { ...recordIn(record), data: UNREAD } : null
  }
  catch {
    return null
  }
}

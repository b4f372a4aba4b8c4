import { cursorAt, readCursor } from '../../../../shared/utils/cursor'
import { UnreadableRecord, type PageRequest, type PendingPage, type StoreRules } from '../../../ports/store'
import type { Submission, SubmissionRecord } from '../../../ports/submission'
import type { RedisClient } from '../connection/client'
import { dataKey, LISTS, recordKey, STUCK, TAKEN, contentIn, recordIn } from './record'
import { run } from '../connection/calls'
import { oldTrace } from './old-traces'
import { PAGE, READ } from './scripts'

export interface ReaderOptions extends Pick<StoreRules, 'parse' | 'listOf'> {
  /** Called once for each submission that cannot be read. */
  unreadable?: (error: UnreadableRecord) => void
}

/** Reads submissions. One that cannot be read does not affect the others. */
export class RecordReader {
  private readonly reportedIds = new Set<string>()

  constructor(private readonly client: RedisClient, private readonly options: ReaderOptions) {}

  async all(ids: readonly string[]): Promise<(Submission | null | UnreadableRecord)[]> {
    if (ids.length === 0) return []
    const keys = ids.flatMap(id => [recordKey(id), dataKey(id)])
    const values = await run(this.client, READ, keys, []) as (string | null)[]
    return Promise.all(ids.map((id, index) => {
      const [record, data] = values.slice(2 * index)
      if (!record) return oldTrace(this.client, id)
      return this.readOrReport(id, () => ({ ...recordIn(record), ...contentIn(data, this.options.parse) }), record)
    }))
  }

  async records(ids: readonly string[]): Promise<(SubmissionRecord | null | UnreadableRecord)[]> {
    const records = await Promise.all(ids.map(id => this.client.hGet(recordKey(id), 'r')))
    return ids.map((id, index) => this.readOrReport(id, () => records[index] ? recordIn(records[index]) : null))
  }

  async page<Kept extends SubmissionRecord>(
    { limit, before = '', sort, only }: PageRequest,
    read: (ids: string[]) => Promise<(Kept | null | UnreadableRecord)[]>,
  ): Promise<PendingPage<Kept>> {
    const { at = '', id = '' } = readCursor(before) ?? {}
    const list = only === 'held' || only === 'spam' ? only : 'pending'
    const index = only === 'stuck' ? STUCK : only === 'taken' ? TAKEN : LISTS[list]
    const [total, hasMore, idsAndScores] = await run(
      this.client, PAGE, [index, LISTS[list]], [String(limit), String(at), id, sort === 'oldest' ? '' : 'REV'],
    ) as [number, number, string[]]
    const records = await read(idsAndScores.filter((_, index) => index % 2 === 0))
    const unreadable = records.flatMap(each => each instanceof UnreadableRecord ? [each.submission] : [])
    return {
      // A submission may have left the list between the two round trips.
      submissions: records.flatMap(each => (
        each === null || each instanceof UnreadableRecord || this.options.listOf(each) !== list ? [] : [each]
      )),
      ...unreadable.length > 0 && { unreadable },
      total,
      cursor: hasMore ? cursorAt(Number(idsAndScores.at(-1)), idsAndScores.at(-2)!) : null,
    }
  }

  /** Omits the parser's error: it quotes the text, which may come from a form. */
  private readOrReport<Kept>(id: string, read: () => Kept, record?: string | null): Kept | UnreadableRecord {
    try {
      return read()
    }
    catch {
      const error = new UnreadableRecord(id, readRecord(record))
      if (!this.reportedIds.has(id)) this.options.unreadable?.(error)
      this.reportedIds.add(id)
      return error
    }
  }
}

function readRecord(text: string | null | undefined): SubmissionRecord | null {
  try {
    return text ? recordIn(text) : null
  }
  catch {
    return null
  }
}

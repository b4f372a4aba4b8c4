import { cursorAt, readCursor } from '../../../../shared/utils/cursor'
import { UnreadableRecord, type Index, type PageRequest, type PendingPage, type StoreRules } from '../../../ports/store'
import { StoredTexts, type ReadingOptions } from '../../../ports/stored-text'
import type { Submission, SubmissionRecord } from '../../../ports/submission'
import type { RedisClient } from '../connection/client'
import { dataKey, INDEXES, LISTS, recordKey } from './record'
import { run } from '../connection/calls'
import { oldTrace } from './old-traces'
import { PAGE, READ } from './scripts'

export type ReaderOptions = ReadingOptions & Pick<StoreRules, 'listOf'>

/** Reads submissions. One that cannot be read does not affect the others. */
export class RecordReader {
  private readonly texts: StoredTexts

  constructor(private readonly client: RedisClient, private readonly options: ReaderOptions) {
    this.texts = new StoredTexts(options)
  }

  async all(ids: readonly string[]): Promise<(Submission | null | UnreadableRecord)[]> {
    if (ids.length === 0) return []
    const keys = ids.flatMap(id => [recordKey(id), dataKey(id)])
    const values = await run(this.client, READ, keys, []) as (string | null)[]
    return Promise.all(ids.map((id, index) => {
      const [record, data] = values.slice(2 * index)
      if (!record) return oldTrace(this.client, id)
      return this.texts.submission(id, record, data ?? null)
    }))
  }

  async records(ids: readonly string[]): Promise<(SubmissionRecord | null | UnreadableRecord)[]> {
    const records = await Promise.all(ids.map(id => this.client.hGet(recordKey(id), 'r')))
    return ids.map((id, index) => records[index] ? this.texts.record(id, records[index]) : null)
  }

  async page<Kept extends SubmissionRecord>(
    { limit, before = '', sort, only }: PageRequest,
    read: (ids: string[]) => Promise<(Kept | null | UnreadableRecord)[]>,
  ): Promise<PendingPage<Kept>> {
    const { at = '', id = '' } = readCursor(before) ?? {}
    const list = only === 'held' || only === 'spam' ? only : 'pending'
    const index = only === undefined || only === list ? LISTS[list] : INDEXES[only as Index]
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
}
